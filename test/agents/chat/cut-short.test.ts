/** An incomplete answer of a model is never used as an answer. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { afterEach, expect, it } from 'vitest';
import { taskView } from '../../../functions/files-and-tasks/task-view.ts';
import type { Result } from '../../../shared/tasks/results.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openAgent } from '../setup.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

function running(...moves: Parameters<typeof scriptedModel>) {
  const script = scriptedModel(...moves);
  const at = openAgent(script.model);
  close = at.close;
  return { script, at };
}

it.each([
  ['length', /exceeds the limit of 8,000 tokens; ask for less at a time\.$/, 1],
  ['content-filter', /withheld the answer/, 2],
  ['error', /broke off/, 1],
] as const)('is not accepted where it ends by %s, at any step', async (ending, message, calls) => {
  const steps = ['One', 'Two'].map((name) => ({ name, instruction: `Do ${name}.` }));
  const half = { text: 'Half a senten', ending };
  const { script, at } = running(half, half);
  await expect(at.run({ steps })).rejects.toMatchObject({ code: 'PROCESSING_FAILED', mayPass: false, message });
  expect(script.given).toHaveLength(calls);
});

it.each(['stop', 'other'] as const)('is one where it ends by %s', async (ending) => {
  expect((await running({ text: 'Whole.', ending }).at.run({})).text).toBe('Whole.');
});

it('tells apart a model that asks on and on and one that has used all it may', async () => {
  const save = { call: 'save_file', input: { name: 'a.md', content: 'a' } };
  const endless = running(...Array.from({ length: 41 }, () => save));
  await expect(endless.at.run({})).rejects.toMatchObject({ message: expect.stringContaining('within 40 steps') });
  await endless.at.close();
  const costly = running({ ...save, spent: 600_000 }, { ...save, spent: 600_000 }, save);
  await expect(costly.at.run({})).rejects.toMatchObject({
    message: expect.stringContaining('within 1,000,000 tokens'),
  });
  expect(costly.script.given).toHaveLength(2);
});

it('has the model answer in its last step with what it has', async () => {
  const save = { call: 'save_file', input: { name: 'a.md', content: 'a' } };
  const { script, at } = running(...Array.from({ length: 39 }, () => save), {
    text: 'Half of it; the rest is not done.',
  });
  const { text, archive } = await at.run({});
  expect(text).toBe('Half of it; the rest is not done.');
  expect(archive).toBeDefined();
  expect(script.given).toHaveLength(40);
  const isLast = script.given.map(({ prompt }) => JSON.stringify(prompt.at(-1)).includes('This is your last turn'));
  expect(isLast).toEqual([...Array.from({ length: 39 }, () => false), true]);
});

const note = { call: 'save_file', input: { name: 'a.md', content: 'See [it](https://foreign.errand-tests.org/x).' } };

it('fails at a limit with what it has: the last text, and the files it saved, made inert', async () => {
  const steps = ['One', 'Two'].map((name) => ({ name, instruction: `Do ${name}.` }));
  const moves = [{ text: 'The first step is done.' }, ...Array.from({ length: 41 }, () => note)];
  const { at } = running(...moves);
  const failure = await at.run({ steps }).catch((error) => error);
  expect(failure).toMatchObject({
    code: 'PROCESSING_FAILED',
    message: expect.stringContaining('within 40 steps'),
    partial: { text: 'The first step is done.', archive: { sizeBytes: expect.any(Number) } },
  });
  const bytes = await at.blobs.read(failure.partial.archive.bytesAt);
  expect(bytes).toBeDefined();
});

it('fails at its budget with what it has, and with nothing where it has nothing', async () => {
  const used = () => {
    throw new TaskFailure('BUDGET_EXCEEDED', 'The budget of the task is used up.');
  };
  const after = (done: number) => {
    const script = scriptedModel(...Array.from({ length: done }, () => note));
    const model: LanguageModelV4 = {
      ...script.model,
      doGenerate: async (options) => (script.given.length === done ? used() : script.model.doGenerate(options)),
    };
    const at = openAgent(model);
    close = at.close;
    return at;
  };
  await expect(after(1).run({})).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED', partial: { archive: {} } });
  await close();
  const failure = await after(0)
    .run({})
    .catch((error) => error);
  expect(failure).toMatchObject({ code: 'BUDGET_EXCEEDED', partial: {} });
  expect(failure.partial).toEqual({});
});

it('shows what there is beside the error of a failed task, and nothing of an answer that was cut short', async () => {
  const { at } = running();
  const task = { state: 'failed', code: 'BUDGET_EXCEEDED', attempt: 1, createdAt: 0, endedAt: 1 } as Task;
  const failure = { code: 'BUDGET_EXCEEDED', message: 'Used up.' } as const;
  const about = { namespace: 'n' };
  const view = (result: Result) => taskView({ taskId: 't', task, about, result }, { ...at, blobs });
  const blobs = { downloadAddress: async () => 'https://files.errand-tests.org/t.zip' };
  const archive = { bytesAt: 'results/x', sizeBytes: 7 };
  expect(await view({ failure, text: 'Half.', archive })).toMatchObject({
    status: 'failure',
    error: failure,
    partial: { text: 'Half.', archive: { sizeBytes: 7 } },
  });
  expect(await view({ failure, text: 'Half.', archive })).not.toHaveProperty('output');
  expect(await view({ failure })).not.toHaveProperty('partial');
  const other = { code: 'TASK_TIMEOUT', message: 'Late.' } as const;
  expect(await view({ failure: other, text: 'Half.' })).not.toHaveProperty('partial');
});
