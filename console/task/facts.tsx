/** Input, settings and usage of a task. */
import type { AgentContract, FilesContract } from '../../client/src/index.ts';
import type { Fact, RequestSummary } from '../form/request-summary.ts';
import { fileNames } from '../form/request-summary.ts';
import { count, exactTime, words } from '../format.ts';
import { submittedRequest } from '../submitted-requests.ts';

/** The input of a task and its usage. */
export function TaskFacts({ task }: { task: AgentContract.TaskStatus }) {
  const { input_tokens: input, output_tokens: output, model } = task.usage;
  const facts: [string, string][] = [
    ['Priority', String(task.priority)],
    ['Created', exactTime(task.created_at)],
    ['Started', exactTime(task.started_at)],
    ['Ended', exactTime(task.completed_at)],
    ['Model', model ?? '—'],
    ['Tokens', `${count(input)} in, ${count(output)} out`],
    ['Webhook', task.webhook_configured ? 'yes' : 'no'],
    ...Object.entries(task.metadata),
  ];
  return (
    <section class="card">
      <h2>About this task</h2>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

type Props = { taskId: string; stored: RequestSummary | undefined };

/** The input of a task: from this tab, in the words of its form, else from the service. */
export function RequestCard({ taskId, stored }: Props) {
  const submittedHere = submittedRequest(taskId);
  const summary = submittedHere?.title ? submittedHere : stored;
  if (!summary) return null;
  const facts = summary === submittedHere ? summary.facts : [...summary.facts, ...(submittedHere?.facts ?? [])];
  return (
    <section class="card stack" aria-labelledby="what-was-asked">
      <h2 id="what-was-asked">Request</h2>
      {addsToFacts(summary.title, facts) && <p>{summary.title}</p>}
      <dl class="pairs asked">
        {facts.map(([name, text], at) => (
          <div key={at}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** A composed title says more than the fields, such as the time of an email without one. */
const addsToFacts = (title: string, facts: Fact[]): boolean =>
  title !== '' && !facts.some(([, text]) => text.startsWith(title.replace(/…$/, '')));

const MAX_TEXT = 4_000;

/** The service's task input as facts. */
export const factsOfAgentInput = ({ input, model }: AgentContract.TaskInput): RequestSummary =>
  storedSummary([
    ...Object.entries(input).map(([name, value]): Fact => [words(FACT_NAMES[name] ?? name), factText(name, value)]),
    ['Model', model],
  ]);

const FACT_NAMES: Record<string, string> = { file_ids: 'files' };

function factText(name: string, value: unknown): string {
  if (name === 'output_schema') return schemaText(value);
  if (name === 'file_ids') return ((value ?? []) as string[]).map(nameOfFile).join('\n');
  if (name === 'documents')
    return (value as { url?: string | null; file_id?: string | null }[])
      .map(({ url, file_id: fileId }) => url ?? nameOfFile(fileId ?? ''))
      .join('\n');
  return textOf(value);
}

const nameOfFile = (fileId: string): string => fileNames.get(fileId) ?? fileId;

export const factsOfPrompt = ({ input }: FilesContract.TaskInput): RequestSummary =>
  storedSummary([
    ['Prompt', input.prompt],
    ['Files', input.fileIds.map(nameOfFile).join('\n')],
    ['Steps', input.steps.map(({ name, instruction }) => `${name}: ${instruction}`).join('\n')],
    ['Rulesets', input.rulesetIds.join('\n')],
    ['Model', input.model],
  ]);

const storedSummary = (facts: Fact[]): RequestSummary => ({
  title: '',
  facts: facts.filter(([, text]) => text !== '').map(([name, text]): Fact => [name, cut(text)]),
});

/** Lists one entry per line, and objects as their entries. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join('\n');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .filter(([, entry]) => entry !== null && entry !== '')
    .map(([name, entry]) => `${words(name)}: ${textOf(entry)}`)
    .join('\n');
}

/** The fields of a JSON Schema, one per line, followed by their nested fields. */
function schemaText(schema: unknown): string {
  const { properties, items } = (schema ?? {}) as { properties?: Record<string, unknown>; items?: unknown };
  if (items) return schemaText(items);
  return Object.entries(properties ?? {})
    .map(([name, inner]) => [words(name), schemaText(inner).replaceAll('\n', ', ')].filter(Boolean).join(': '))
    .join('\n');
}

const cut = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text);
