/** Documents of a task that a model is asked about side by side. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { afterEach, expect, it } from 'vitest';
import type { ProcessingResults } from '../../../shared/agents/results/processing.ts';
import type { AgentReport } from '../../../shared/tasks/agent-report.ts';
import { runStages } from '../run-stages.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openProcessing } from './setup.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

type Answer = (document: string, options: LanguageModelV4CallOptions) => Promise<string>;

const nameIn = ({ prompt }: LanguageModelV4CallOptions) =>
  /The document "([^"]+)"/.exec(JSON.stringify(prompt).replaceAll('\\"', '"'))?.[1] ?? '';

/** A task about these documents, each of which says its own name. */
function asking(names: readonly string[], answer: Answer) {
  const model: LanguageModelV4 = {
    ...scriptedModel().model,
    async doGenerate(options) {
      const text = await answer(nameIn(options), options);
      return scriptedModel({ text }).model.doGenerate(options);
    },
  };
  const at = openProcessing(model);
  close = at.close;
  const documents = names.map((name) => at.serve(name, `Ship: ${name}`));
  return { at, asks: { documents, extraction_rules: ['Which ship?'] } };
}

function ask(names: readonly string[], answer: Answer) {
  const { at, asks } = asking(names, answer);
  return at.run(asks);
}

const found = (name: string) =>
  JSON.stringify({ findings: [{ instruction: 1, value: name, excerpt: `Ship: ${name}` }] });

const namesOf = (count: number) => Array.from({ length: count }, (_, at) => `ship-${at}.txt`);

it('are up to four at once, and no more', async () => {
  let waiting = 0;
  const most: number[] = [];
  const all = Promise.withResolvers<void>();
  const { report } = await ask(namesOf(9), async (name) => {
    waiting++;
    most.push(waiting);
    // The model answers nothing before three documents wait for it.
    if (waiting >= 3) all.resolve();
    await all.promise;
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    waiting--;
    return found(name);
  });
  expect(report.queries).toBe(9);
  expect(Math.max(...most)).toBe(4);
});

it.each([
  ['the first', (at: number) => at],
  ['the last', (at: number) => 4 - at],
])('give the same results and counts where %s answers first', async (_, orderOf) => {
  const names = namesOf(4);
  const { results, report } = await ask(names, async (name) => {
    for (let turn = 0; turn < 30 * orderOf(names.indexOf(name)); turn++) await nextTurn();
    return name === 'ship-2.txt' ? 'a poem' : found(name);
  });
  expect(results.merged.map(({ value, documents }) => [value, ...documents])).toEqual([
    ['ship-0.txt', 1],
    ['ship-1.txt', 2],
    ['ship-3.txt', 4],
  ]);
  expect(report.queries).toBe(5);
  expect(report.warnings).toEqual([
    'The model gave no usable answer to 1 question, also when asked again: that part was done without it.',
  ]);
});

it('end with the first failure once all others are done, which keep their answers and are not asked about again', async () => {
  const asked: string[] = [];
  let isAway = true;
  const answer: Answer = async (name) => {
    asked.push(name);
    if (name === 'ship-1.txt' && isAway) throw new Error('The model is away.');
    for (let turn = 0; turn < 30; turn++) await nextTurn();
    return found(name);
  };
  const { at, asks } = asking(namesOf(6), answer);
  const address = { organization: at.organization, taskId: at.ids.uuid() };
  const signal = new AbortController().signal;
  const stages = at.stagesOf(asks);
  let [reached, carried]: [number, unknown] = [0, undefined];
  const attempt = async () => {
    for (const stage of at.stagesOf(asks).slice(reached)) {
      carried = await runStages([stage], { address, input: asks, signal, report: () => undefined }, carried);
      reached++;
    }
  };
  await expect(attempt()).rejects.toThrow('The model is away.');
  expect(asked.toSorted()).toEqual(namesOf(4));
  const { report } = carried as { report: AgentReport };
  expect(report.queries).toBe(3);
  expect((report.results as unknown as ProcessingResults).merged.map(({ value }) => value)).toEqual([
    'ship-0.txt',
    'ship-2.txt',
    'ship-3.txt',
  ]);
  isAway = false;
  await attempt();
  expect(reached).toBe(stages.length);
  expect(asked.slice(4).toSorted()).toEqual(['ship-1.txt', 'ship-4.txt', 'ship-5.txt']);
  expect((carried as { report: AgentReport }).report.queries).toBe(6);
});
