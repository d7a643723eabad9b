/** Budgets hold under concurrency and crashes, and unspent reservations are released. */

import { afterEach, beforeEach, expect, it } from 'vitest';
import { withMetering } from '../../../engines/models/metering.ts';
import { MONTHLY_TOKENS, MONTHLY_USD, overrideLimit, TASK_TOKENS } from '../../../shared/accounts/caps.ts';
import { organizationDraft } from '../../../shared/accounts/organizations.ts';
import type { Counts } from '../../../shared/ports.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { type BudgetNotify, budgetGuard, type TaskBudget } from '../../../shared/tasks/budget.ts';
import { type TaskAddress, taskPartition } from '../../../shared/tasks/rows.ts';
import { createMeter, type PlannedCall } from '../../../shared/usage/meter.ts';
import { sumTokens } from '../../../shared/usage/tokens.ts';
import { scriptedModel } from '../../agents/scripted-model.ts';
import { openTasks, type TaskSetup, worker } from '../tasks/setup.ts';

let opened: TaskSetup;
let warnings: string[];
beforeEach(async () => {
  opened = openTasks();
  warnings = [];
  const { organization: id, clock } = opened;
  await opened.table.insert(organizationDraft({ id, name: 'Tests', createdAt: clock.now(), models: [], limits: {} }));
});
afterEach(() => opened.close());

const PRICE = { input: 3, output: 15 };
const call = (inputTokens: number, outputTokens: number): PlannedCall => ({
  ...{ model: 'openai/m', inputTokens, outputTokens, price: PRICE },
});
const unpriced = (one: PlannedCall): PlannedCall => ({ ...one, price: undefined });
const tokensOf = (inputTokens: number, outputTokens: number) => sumTokens({ inputTokens, outputTokens });

const cap = (limit: { name: string }, most: number) =>
  overrideLimit(opened.table, opened.organization, { limit: limit.name, most });

/** The guard of a new task's first attempt. */
async function guardOf(budget?: TaskBudget) {
  const address = await opened.submit();
  const notify: BudgetNotify = (_organization, { message }) => void warnings.push(message);
  const reserve = budgetGuard({ ...opened, notify }, { address, task: await opened.task(address), budget });
  return { address, reserve };
}

const counted = async (pk: string, prefix: string): Promise<Counts> => {
  const { rows } = await opened.table.rows<Counts>(pk, prefix, { limit: 5 });
  return rows[0]?.value ?? {};
};
const ofTask = (address: TaskAddress) => counted(taskPartition(address), 'BUDGET#');
const ofMonth = () => counted(`O#${opened.organization}#USAGE`, 'MONTH#');

it('writes nothing without a budget', async () => {
  const { address, reserve } = await guardOf();
  await (await reserve(unpriced(call(1_000, 8_000))))(tokensOf(1_000, 50));
  expect([await ofTask(address), await ofMonth()]).toEqual([{}, {}]);
});

it('reserves the maximum cost of a call, and releases the unused part', async () => {
  await cap(MONTHLY_USD, 1);
  const { address, reserve } = await guardOf({ maxTokens: 10_000 });
  const settle = await reserve(call(1_000, 8_000));
  const most = { tokens: 9_000, microUsd: 3_000 + 120_000 };
  expect([await ofTask(address), await ofMonth()]).toEqual([most, most]);
  await settle(tokensOf(900, 100));
  const own = { tokens: 1_000, microUsd: 2_700 + 1_500 };
  expect([await ofTask(address), await ofMonth()]).toEqual([own, own]);
});

it.each<[string, TaskBudget, PlannedCall, RegExp]>([
  [
    'tokens',
    { maxTokens: 8_999 },
    call(1_000, 8_000),
    /^The budget of the task .* 0 of 8999 tokens .* 9000 tokens\. Give/,
  ],
  ['dollars', { maxUsd: 0.12 }, call(1_000, 8_000), /\$0\.0000 of \$0\.1200 .* \$0\.1230\./],
])(
  'refuses a call that could exceed the %s of its task, and reserves nothing for it',
  async (_what, budget, next, says) => {
    const { address, reserve } = await guardOf(budget);
    await expect(reserve(next)).rejects.toMatchObject({
      code: 'BUDGET_EXCEEDED',
      mayPass: false,
      message: expect.stringMatching(says),
    });
    expect(await ofTask(address)).toEqual({});
  },
);

it('refuses a budget in dollars for a model without a known price, with the name of the model', async () => {
  const { reserve } = await guardOf({ maxUsd: 5 });
  await expect(reserve(unpriced(call(1, 1)))).rejects.toThrow(
    'The price of the model openai/m is not known, so a budget in dollars cannot be held.',
  );
});

it('releases the reservation of the task if the organization has no budget left', async () => {
  await cap(MONTHLY_TOKENS, 5_000);
  const { address, reserve } = await guardOf({ maxTokens: 100_000 });
  await (await reserve(call(4_000, 500)))(tokensOf(4_000, 500));
  await expect(reserve(call(400, 200))).rejects.toThrow(/^The budget of the organization .* 4500 of 5000 tokens/);
  expect(await ofTask(address)).toMatchObject({ tokens: 4_500 });
});

it('applies the default of the organization to tasks without their own budget', async () => {
  await cap(TASK_TOKENS, 100);
  const [first, second] = [await guardOf(), await guardOf({ maxTokens: 1_000 })];
  await expect(first.reserve(call(90, 20))).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  await second.reserve(call(90, 20));
});

it('warns the organization once, when a reservation exceeds 80 % of its monthly budget', async () => {
  await cap(MONTHLY_TOKENS, 1_000);
  const { reserve } = await guardOf();
  for (let nth = 0; nth < 9; nth++) await (await reserve(call(90, 10)))(tokensOf(90, 10));
  expect(warnings).toEqual(["80 % of this month's budget of tokens is spent or reserved."]);
});

it('warns once, even if released reservations bring the sum below 80 % again', async () => {
  await cap(MONTHLY_TOKENS, 100_000);
  await cap(MONTHLY_USD, 1);
  const { reserve } = await guardOf();
  for (let nth = 0; nth < 5; nth++) await (await reserve(call(9_000, 50_000)))(tokensOf(9_000, 1_000));
  expect(warnings).toEqual(
    ['dollars', 'tokens'].map((what) => `80 % of this month's budget of ${what} is spent or reserved.`),
  );
});

it('begins a new budget with each month', async () => {
  await cap(MONTHLY_TOKENS, 1_000);
  await (await guardOf()).reserve(call(900, 100));
  await expect((await guardOf()).reserve(call(1, 1))).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  opened.clock.pass(32 * 86_400_000);
  await (await guardOf()).reserve(call(900, 100));
});

/** A provider that counts by itself: it bills requests and answers, also if the caller has died. */
function provider(random: () => number) {
  let billed = 0;
  return {
    billed: () => billed,
    answer({ inputTokens, outputTokens }: PlannedCall) {
      const own = tokensOf(inputTokens, Math.floor(random() * outputTokens));
      billed += own.inputTokens + own.outputTokens;
      return own;
    },
  };
}

/** Numbers that repeat with each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

it('exceeds no budget with 50 concurrent tasks, even if workers crash between a call and its settlement', async () => {
  const CAP = 200_000;
  await cap(MONTHLY_TOKENS, CAP);
  const random = seeded(7);
  const ledger = provider(random);
  let deaths = 0;
  const addresses = await Promise.all(Array.from({ length: 50 }, () => opened.submit()));
  const died = new Map(addresses.map(({ taskId }) => [taskId, Promise.withResolvers<void>()]));
  const asks: Stage = {
    name: 'asking',
    async run({ meter, address: { taskId } }) {
      for (let nth = 0; nth < 20; nth++) {
        const planned = call(200 + Math.floor(random() * 800), 1_000);
        const settle = await meter.reserve(planned);
        await new Promise((resolve) => setImmediate(resolve));
        const own = ledger.answer(planned);
        if (random() < 0.1) {
          deaths++;
          died.get(taskId)?.resolve();
          return new Promise(() => undefined); // the process died and never returns
        }
        await settle(own);
      }
      return { text: 'done' };
    },
  };
  await Promise.all(
    addresses.map((address) => Promise.race([worker(opened, [asks]).run(address), died.get(address.taskId)?.promise])),
  );
  const tasks = await Promise.all(addresses.map((address) => opened.task(address)));
  expect(deaths).toBeGreaterThan(5);
  expect(tasks.filter(({ code }) => code === 'BUDGET_EXCEEDED').length).toBeGreaterThan(5);
  expect(ledger.billed()).toBeLessThanOrEqual(CAP);
  const { tokens = 0 } = await ofMonth();
  expect(tokens).toBeLessThanOrEqual(CAP);
  expect(tokens).toBeGreaterThanOrEqual(ledger.billed());
});

it('ends a task at its budget with a clear code, and keeps the budget over attempts', async () => {
  const address = await opened.submit({ budget: { maxTokens: 1_500 } });
  const asks: Stage = {
    name: 'asking',
    async run({ meter }) {
      const settle = await meter.reserve(call(500, 500));
      await settle(tokensOf(500, 400));
      throw new Error('broken');
    },
  };
  await worker(opened, [asks]).run(address);
  opened.clock.pass(60_000);
  await worker(opened, [asks]).run(address);
  expect(await opened.task(address)).toMatchObject({ state: 'failed', code: 'BUDGET_EXCEEDED' });
});

it('settles a call before its answer is used, so that the next one is not refused because of it', async () => {
  const steps: string[] = [];
  const meter = createMeter(async () => async () => {
    await new Promise((resolve) => setImmediate(resolve));
    steps.push('settled');
  });
  const model = withMetering(scriptedModel({ text: 'Now.' }).model, meter, {
    bounds: { model: 'openai/m', maxOutput: 10, price: undefined },
  });
  await model.doGenerate({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'When?' }] }] });
  steps.push('answered');
  expect(steps).toEqual(['settled', 'answered']);
});
