/** An answer that a model did not bring to its end never passes for one. */
import { afterEach, expect, it } from 'vitest';
import { openAgent } from './opened.ts';
import { scriptedModel } from './scripted-model.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

function running(...moves: Parameters<typeof scriptedModel>) {
  const script = scriptedModel(...moves);
  const at = openAgent(script.model);
  close = at.close;
  return { script, at };
}

it.each([
  ['length', /exceeds the limit of 8,000 tokens; ask for less at a time\.$/],
  ['content-filter', /withheld the answer/],
  ['error', /broke off/],
] as const)('is not accepted where it ends by %s, at any step', async (ending, message) => {
  const steps = ['One', 'Two'].map((name) => ({ name, instruction: `Do ${name}.` }));
  const { script, at } = running({ text: 'Half a senten', ending });
  await expect(at.run({ steps })).rejects.toMatchObject({ code: 'PROCESSING_FAILED', mayPass: false, message });
  expect(script.given).toHaveLength(1);
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
