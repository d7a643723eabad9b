/** What the service says of a task's input, as facts to be shown. */
import type { AgentContract, FilesContract } from '../../client/src/index.ts';
import { fileNames } from '../files/file-names.ts';
import type { AskedHere, Fact } from '../form/asked-of.ts';
import { words } from '../format.ts';

const MAX_TEXT = 4_000;

export const factsOfAgentInput = ({ input, model }: AgentContract.TaskInput): AskedHere =>
  asked([...Object.entries(input).map(([name, value]): Fact => [words(name), textOf(value)]), ['Model', model]]);

export const factsOfPrompt = ({ input }: FilesContract.TaskInput): AskedHere =>
  asked([
    ['Prompt', input.prompt],
    ['Files', input.fileIds.map((id) => fileNames.get(id) ?? id).join('\n')],
    ['Steps', input.steps.map(({ name, instruction }) => `${name}: ${instruction}`).join('\n')],
    ['Rulesets', input.rulesetIds.join('\n')],
    ['Model', input.model],
  ]);

const asked = (facts: Fact[]): AskedHere => ({
  title: '',
  facts: facts.filter(([, text]) => text !== '').map(([name, text]): Fact => [name, cut(text)]),
});

/** Lists one entry a line; objects as their entries. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .filter(([, entry]) => entry !== null && entry !== '')
    .map(([name, entry]) => `${words(name)}: ${textOf(entry)}`)
    .join('\n');
}

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text);
