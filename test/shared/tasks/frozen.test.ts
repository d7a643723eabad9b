/** Fault injection: a worker that freezes anywhere, and lost table responses anywhere. The task ends once, by one attempt. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Row, Table } from '../../../shared/ports.ts';
import { tickTask } from '../../../shared/reconcile/tick-task.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { failureOf } from '../../../shared/tasks/failure-message.ts';
import { resultOf } from '../../../shared/tasks/results.ts';
import { type TaskAddress, taskKey, taskPartition } from '../../../shared/tasks/rows.ts';
import { submitTask } from '../../../shared/tasks/submit.ts';
import { isOpen, type Task } from '../../../shared/tasks/task.ts';
import { interceptedTable } from './intercepted-table.ts';
import { openTasks, type TaskSetup, worker } from './setup.ts';

const MINUTE = 60_000;
/** Long enough that the checkpoint and the result take two rows each. */
const PAGES = 'page '.repeat(30_000);

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

/** Two stages; the second continues from the checkpoint of the first. `at` is called at each moment of a stage's work. */
const stages = (by: string, at: (moment: string) => Promise<void> = async () => undefined): Stage[] => [
  {
    name: 'reading',
    async run(work) {
      await at('reading');
      work.report(0.5);
      return { pages: PAGES, by };
    },
  },
  {
    name: 'writing',
    async run(work, carried) {
      work.report(0.5);
      await at('writing');
      return { text: `${(carried as { pages: string }).pages}by ${by}` };
    },
  },
];

type Moment = { name: string; open(): void };

/** Freezes a worker at the moment of the given number; `frozen` stays pending when the worker has no such moment. */
function freezer(number: number) {
  let passed = 0;
  const frozen = Promise.withResolvers<Moment>();
  const opening = Promise.withResolvers<void>();
  return {
    frozen: frozen.promise,
    passed: () => passed,
    async at(name: string): Promise<void> {
      if (passed++ !== number) return;
      frozen.resolve({ name, open: opening.resolve });
      await opening.promise;
    },
  };
}

/** A worker that can freeze before and after every table call, before every hint, and inside every stage. */
function freezingWorker(number: number) {
  const { frozen, passed, at } = freezer(number);
  const table = interceptedTable(opened.table, async ({ name, args }, go) => {
    const [row] = args as [{ sk?: string } | string];
    const what = `${name} of ${typeof row === 'object' ? row.sk : String(args[1])}`;
    await at(`before ${what}`);
    const answer = await go();
    await at(`after ${what}`);
    return answer;
  });
  const hints: TaskSetup['hints'] = async (effects, about) => {
    await at('hints');
    await opened.hints(effects, about);
  };
  return { frozen, passed, one: worker({ ...opened, table, hints } as TaskSetup, stages('the first', at)) };
}

async function storedRows(address: TaskAddress) {
  const row = (await opened.table.get<Task>(taskKey(address))) as Row<Task>;
  const { rows } = await opened.table.rows(taskPartition(address), '', { limit: 100 });
  const result = await resultOf(opened.table, address, row.value);
  // Rows of other attempts carry their own number.
  const otherRows = rows.filter(({ sk }) => !/^(STAGE#\d+|RESULT)#1#/.test(sk));
  return { row, others: otherRows, result };
}

/** Finishes the task by the reconciler and other workers only. */
async function finishedByOthers(address: TaskAddress, table = opened.table as Table): Promise<void> {
  const lanes = { note: () => undefined, write: async () => undefined };
  for (let looks = 0; isOpen(await opened.task(address)); looks++) {
    if (looks > 20) throw new Error('It never ends.');
    opened.clock.pass(MINUTE + 1);
    await tickTask({ ...opened, table, lanes }, taskKey(address));
    for (const taskId of await opened.hinted()) {
      await worker({ ...opened, table } as TaskSetup, stages('another')).run({ ...address, taskId });
    }
  }
}

async function momentsOfARun(): Promise<number> {
  const { one: freezable, passed } = freezingWorker(-1);
  await freezable.run(await opened.submit());
  return passed();
}

describe('a worker that freezes past its lease', () => {
  it('changes nothing when it wakes, wherever it froze', { timeout: 60_000 }, async () => {
    const moments = await momentsOfARun();
    const seenMoments: string[] = [];
    for (let number = 0; number < moments; number++) {
      const address = await opened.submit();
      await opened.hinted();
      const { one: freezable, frozen } = freezingWorker(number);
      const run = freezable.run(address);
      const moment = await frozen;
      seenMoments.push(moment.name);
      await finishedByOthers(address);
      const before = await storedRows(address);
      expect(before.row.value.state, moment.name).toBe('succeeded');
      moment.open();
      freezable.beat();
      await run.catch(() => undefined);
      expect(await storedRows(address), moment.name).toEqual(before);
      expect(before.result?.text, moment.name).toMatch(/by (the first|another)$/);
    }
    expect(seenMoments.length).toBe(moments);
    expect(seenMoments).toEqual(
      expect.arrayContaining(['before replace of TASK', 'reading', 'after insert of RESULT#1#00', 'hints']),
    );
  });
});

type Fault = 'lost answer' | 'lost call';

/** The write of the given number fails, either after or before it is executed. */
function failing(number: number, fault: Fault, table: Table) {
  let writes = 0;
  const faulty = interceptedTable(table, async ({ isWrite }, go) => {
    const fails = isWrite && writes++ === number;
    if (fails && fault === 'lost call') throw new Error('The call got lost.');
    const answer = await go();
    if (fails) throw new Error('The answer got lost.');
    return answer;
  });
  return { table: faulty, isOver: () => writes > number };
}

/** Records the final states that any worker writes. */
function recorded() {
  const finals: string[] = [];
  const table = interceptedTable(opened.table, async ({ name, args }, go) => {
    const answer = await go();
    const [, next] = args as [unknown, { value: Task }];
    if (name === 'replace' && answer && !isOpen(next.value)) finals.push(next.value.state);
    return answer;
  });
  return { finals, table };
}

describe('a write that fails', () => {
  it.each<Fault>(['lost answer', 'lost call'])('lets the task end once, whichever it was: %s', async (fault) => {
    for (let number = 0; ; number++) {
      const address = await opened.submit();
      await opened.hinted();
      const { finals, table } = recorded();
      const { isOver, ...faulty } = failing(number, fault, table);
      await worker({ ...opened, ...faulty } as TaskSetup, stages('one'))
        .run(address)
        .catch(() => undefined);
      if (!isOver()) break;
      await finishedByOthers(address, table);
      const { result } = await storedRows(address);
      expect(finals, String(number)).toEqual(['succeeded']);
      expect(result?.text).toMatch(/by (one|another)$/);
    }
  });

  it.each<Fault>(['lost answer', 'lost call'])(
    'is mended by submitting again, which makes no second task: %s',
    async (fault) => {
      for (let number = 0; ; number++) {
        const address = { organization: opened.organization, taskId: opened.ids.uuid() };
        const submission = { face: 'agents', type: 'made', priority: 5, about: { input: PAGES } } as const;
        const { table, isOver } = failing(number, fault, opened.table);
        const outcome = await submitTask({ ...opened, table }, address, submission).then(
          () => 'made',
          () => 'failed',
        );
        if (!isOver()) break;
        expect(outcome).toBe('failed');
        await submitTask(opened, address, submission);
        await opened.hinted();
        await worker(opened, stages('one')).run(address);
        expect(await opened.task(address)).toMatchObject({ state: 'succeeded', attempt: 1 });
      }
    },
  );

  it('never lets a task refer to a result that is only partly stored', async () => {
    const address = await opened.submit();
    // The second of the result's two rows is stored, the first is not.
    const table = interceptedTable(opened.table, async ({ name, args }, go) => {
      const [row] = args as [{ sk: string }];
      if (name === 'insert' && /^RESULT#\d#00$/.test(row.sk)) throw new Error('The call got lost.');
      return go();
    });
    for (let attempt = 1; attempt <= 5; attempt++) {
      const alone = { ...opened, table, process: 'own' } as const;
      await expect(worker(alone, stages('one')).run(address)).rejects.toThrow('got lost');
      opened.clock.pass(MINUTE);
    }
    await tickTask({ ...opened, lanes: { note: () => undefined } }, taskKey(address));
    const task = await opened.task(address);
    expect(task).toMatchObject({ state: 'failed', code: 'PROCESSING_FAILED', attempt: 5 });
    expect(await resultOf(opened.table, address, task)).toBeUndefined();
    expect(failureOf(task, undefined)).toEqual({
      code: 'PROCESSING_FAILED',
      message: 'Each process that worked on the task ended before the task did. The task may be submitted again.',
    });
  });
});
