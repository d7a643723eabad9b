/** What a task with several workflow steps delivers of each step: a bounded field of its result, and files in its archive. */
import { afterEach, expect, it } from 'vitest';
import { MAX_STEP_CHARACTERS, stepFiles, withSteps } from '../../../agents/chat/step-results.ts';
import { taskView } from '../../../functions/files-and-tasks/task-view.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { checker, contract } from '../../scripts/contracts/check-answer.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openAgent } from '../setup.ts';
import { unpacked } from '../unpacked.ts';

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const at of opened.splice(0)) await at.close();
});

function running(...moves: Parameters<typeof scriptedModel>) {
  const script = scriptedModel(...moves);
  const at = openAgent(script.model);
  opened.push(at);
  return { at, script };
}

const faults = checker(contract('files-and-tasks.openapi'));

const stepsOf = (...names: string[]) => names.map((name) => ({ name, instruction: `Do ${name}.` }));

it('delivers the result of each step, the last one as the text, and all in the archive', async () => {
  const { at } = running(
    { text: 'Due on [11 March](https://foreign.errand-tests.org/x).' },
    { call: 'save_file', input: { name: 'paid.md', content: 'Paid.' } },
    { text: 'It is paid. <script>alert(1)</script>' },
    { text: 'Pay nothing.' },
  );
  const { text, steps, archive } = await at.run({ steps: stepsOf('Invoice', 'Receipt', 'Summary') });
  expect(text).toBe('Pay nothing.');
  expect(steps).toEqual([
    { number: 1, name: 'Invoice', text: expect.stringContaining('11 March') },
    { number: 2, name: 'Receipt', text: expect.stringContaining('It is paid.') },
    { number: 3, name: 'Summary', text: 'Pay nothing.' },
  ]);
  const files = await unpacked(at.blobs, archive);
  expect(Object.keys(files)).toEqual(['paid.md', 'steps/1-Invoice.md', 'steps/2-Receipt.md', 'steps/3-Summary.md']);
  expect(Object.values(files).slice(1)).toEqual(steps?.map((step) => step.text));
  expect(JSON.stringify(files)).not.toMatch(/\]\(https:|<script/);
});

it('leaves the result of one step, or of a prompt alone, as it is', async () => {
  for (const steps of [[], stepsOf('One')]) {
    const { at } = running({ text: 'Whole.' });
    const result = await at.run({ steps });
    expect(result.text).toBe('Whole.');
    expect(result).not.toHaveProperty('steps');
    expect(result).not.toHaveProperty('archive');
  }
});

it('keeps files of steps apart from saved files, under names that unpack everywhere', () => {
  const names = ['../../etc/passwd', 'a\\b:c\u202e', '', 'x'.repeat(400), 'Kosten/Nutzen.'];
  const done = names.map((name, at) => ({ number: at + 1, name, text: `${at}` }));
  const files = stepFiles(done, [
    { name: 'STEPS', text: '' },
    { name: 'steps-2', text: '' },
  ]);
  expect(files.map(({ name }) => name)).toEqual([
    'steps-3/1-.._.._etc_passwd.md',
    'steps-3/2-a_b_c_.md',
    'steps-3/3-.md',
    expect.stringMatching(/^steps-3\/4-x{100,}\.md$/),
    'steps-3/5-Kosten_Nutzen..md',
  ]);
  expect(files.every(({ name }) => Buffer.byteLength(name) < 300)).toBe(true);
});

it('cuts long texts in the field, and leaves their room to them where others are short', () => {
  const done = [10, 90_000, 5, 70_000].map((length, at) => ({
    number: at + 1,
    name: 'n',
    text: 'x'.repeat(length),
  }));
  const { steps = [] } = withSteps(done);
  expect(steps.map(({ text, truncated }) => [text.length, truncated])).toEqual([
    [10, undefined],
    [49_993, true],
    [5, undefined],
    [49_992, true],
  ]);
  const whole = withSteps([{ number: 1, name: 'n', text: 'x'.repeat(MAX_STEP_CHARACTERS) }]);
  expect(whole.steps?.[0]).not.toHaveProperty('truncated');
});

it('delivers the steps that were done when a later one fails', async () => {
  const { at } = running(
    { text: 'The first is done.' },
    { text: 'The second is done.' },
    { text: 'Half a senten', ending: 'length' },
  );
  const failure = await at.run({ steps: stepsOf('One', 'Two', 'Three') }).catch((error) => error);
  expect(failure).toMatchObject({
    code: 'PROCESSING_FAILED',
    partial: {
      text: 'The second is done.',
      steps: [
        { number: 1, name: 'One', text: 'The first is done.' },
        { number: 2, name: 'Two', text: 'The second is done.' },
      ],
    },
  });
  expect(Object.keys(await unpacked(at.blobs, failure.partial.archive))).toEqual(['steps/1-One.md', 'steps/2-Two.md']);
});

it('delivers the steps before a record, also of a record with gaps', async () => {
  const moves = [{ text: 'It leaks.' }, { text: 'Call a plumber.' }];
  const outputSchema = { type: 'object', properties: { berth: { type: 'number' } }, required: ['berth'] };
  const { at } = running(...moves);
  const asked = { steps: stepsOf('Look', 'Advise'), outputSchema };
  const result = await at.run({ ...asked, fileIds: [await at.storeText('a.txt', 'Berth: 12')] });
  expect(result.steps?.map(({ text }) => text)).toEqual(['It leaks.', 'Call a plumber.']);
  expect(Object.keys(await unpacked(at.blobs, result.archive))).toEqual([
    'steps/1-Look.md',
    'steps/2-Advise.md',
    'data.json',
    'records.xlsx',
    'records.csv',
  ]);
  const { at: other } = running(...moves);
  const failing = { ...asked, onMissing: 'fail' as const, fileIds: [await other.storeText('a.txt', 'Nothing.')] };
  await expect(other.run(failing)).rejects.toMatchObject({ partial: { steps: [{ number: 1 }, { number: 2 }] } });
});

it('continues a stage of the first release, which kept the result of one step alone', async () => {
  const { at } = running({ text: 'Third.' });
  const { steps } = await at.run({ steps: stepsOf('One', 'Two', 'Three') }, undefined, {
    completed: 2,
    carried: { text: 'Second.', saved: [] },
  });
  expect(steps).toEqual([
    { number: 2, name: 'Two', text: 'Second.' },
    { number: 3, name: 'Three', text: 'Third.' },
  ]);
});

it('shows the steps with the task and its partial result, and not in lists', async () => {
  const { at } = running();
  const steps = [
    { number: 1, name: 'One', text: 'First.' },
    { number: 2, name: 'Two', text: 'Second.' },
  ];
  const viewOf = (more: object, result: object, shows?: 'brief') => {
    const task = { state: 'succeeded', attempt: 1, createdAt: 0, endedAt: 1, ...more } as Task;
    return taskView(
      { taskId: at.ids.uuid(), task, about: { namespace: 'n' }, result: { text: 'Second.', steps, ...result } },
      at,
      shows,
    );
  };
  const succeeded = await viewOf({}, {});
  expect(succeeded).toMatchObject({ output: { text: 'Second.', steps } });
  expect(faults('SucceededTask', succeeded)).toEqual([]);
  expect(JSON.stringify(await viewOf({}, {}, 'brief'))).not.toContain('steps');
  const failure = { code: 'BUDGET_EXCEEDED', message: 'Used up.' };
  const failed = await viewOf({ state: 'failed', code: 'BUDGET_EXCEEDED' }, { failure });
  expect(failed).toMatchObject({ partial: { steps } });
  expect(faults('FailedTask', failed)).toEqual([]);
});
