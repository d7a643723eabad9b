/** Asks a running product for everything of a set, through the client library alone, as a caller would. */
import { basename } from 'node:path';
import type { AgentContract, Agents, FilesAndTasks } from '../../../client/src/index.ts';
import type { DocumentResult, TextResult } from './page.ts';
import { type DeliveredField, scoreField, textsIn } from './score.ts';
import { type AcceptanceSet, type Chat, type Item, pathsOf, type Research, schemaOf } from './set.ts';

export type Target = { developer: FilesAndTasks; enterprise: Agents; endpoint: string };
type Run = Target & { fileIdOf: ReadonlyMap<string, string>; signal: AbortSignal; tell(line: string): void };

export type Results = { documents: DocumentResult[]; chat?: TextResult; research?: TextResult };

/** Few at once: a new key of a provider allows few calls a minute. */
const AT_ONCE = 3;

/** What is not done when the signal is aborted has that as its fault. */
export async function askFor(set: AcceptanceSet, target: Target, o: Pick<Run, 'signal' | 'tell'>): Promise<Results> {
  const fileIdOf = new Map<string, string>();
  for (const path of pathsOf(set)) {
    const { fileId } = await target.developer.files.upload(path, { fileName: basename(path), signal: o.signal });
    fileIdOf.set(path, fileId);
  }
  const run = { ...target, ...o, fileIdOf };
  const documents: DocumentResult[] = [];
  const results: Results = { documents };
  const { chat, research } = set;
  const work = [
    ...(research
      ? [
          async () =>
            (results.research = await textOf(research.query, research.expect, run, () => reportOf(research, run))),
        ]
      : []),
    ...(chat
      ? [async () => (results.chat = await textOf(chat.prompt, chat.expect, run, () => answerOf(chat, run)))]
      : []),
    ...set.items.map((item, at) => async () => (documents[at] = await documentOf(item, run))),
  ];
  const line = async () => {
    for (let next = work.shift(); next; next = work.shift()) await next();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  return results;
}

const faultIn = (error: unknown, { signal }: Run): string =>
  signal.aborted ? 'Not done in time.' : (error as Error).message;

async function documentOf(item: Item, run: Run): Promise<DocumentResult> {
  const { id, path } = item;
  try {
    const results = await processed(item, run);
    run.tell(`${id}: done`);
    if (Object.keys(item.fields).length === 0) return { id, path, fields: [], summary: summaryIn(results) };
    const delivered = (results.records?.[0]?.fields ?? []) as DeliveredField[];
    const fields = Object.entries(item.fields).map(([name, { expect }]) => scoreField(name, expect, delivered));
    return { id, path, fields };
  } catch (error) {
    const fields = Object.entries(item.fields).map(([name, { expect }]) => scoreField(name, expect, []));
    return { id, path, fields, fault: faultIn(error, run) };
  }
}

const summaryIn = ({ summary }: AgentContract.ProcessingResults): string[] =>
  (summary?.points ?? []).map(({ text, place }) => `${text} (${place})`);

async function processed(item: Item, { enterprise, signal, fileIdOf }: Run) {
  const asked =
    Object.keys(item.fields).length > 0
      ? { output_schema: schemaOf(item) }
      : { processing_type: 'summarization' as const };
  const documents = [{ file_id: fileIdOf.get(item.path) ?? '' }];
  const submission = { task_type: 'processing_agent' as const, input: { documents, ...asked } };
  const { task_id: id } = await enterprise.submit(submission, { signal });
  return enterprise.waitForResults(id, { signal });
}

type Written = { text: string; warnings: string[] };

async function textOf(asked: string, expect: string[], run: Run, write: () => Promise<Written>): Promise<TextResult> {
  try {
    const { text, warnings } = await write();
    run.tell(`${asked.slice(0, 60)}: done`);
    return { asked, text, warnings, expected: textsIn(text, expect) };
  } catch (error) {
    return { asked, text: '', warnings: [], expected: textsIn('', expect), fault: faultIn(error, run) };
  }
}

async function answerOf({ paths, prompt }: Chat, { developer, endpoint, signal, fileIdOf }: Run): Promise<Written> {
  const fileIds = paths.map((path) => fileIdOf.get(path) ?? '');
  const { taskId } = await developer.tasks.create({
    namespace: 'acceptance',
    delivery: { type: 'webhook', config: { endpoint } },
    input: { type: 'chat', prompt, fileIds },
  });
  const task = await developer.tasks.wait(taskId, { signal });
  if (task.status === 'failure') throw new Error(task.error.message);
  return { text: task.output.text, warnings: task.warnings ?? [] };
}

async function reportOf({ paths, query }: Research, { enterprise, signal, fileIdOf }: Run): Promise<Written> {
  const input = {
    query,
    file_ids: paths.map((path) => fileIdOf.get(path) ?? ''),
    deliverables: ['executive_summary', 'key_findings'],
    output_format: 'markdown' as const,
  };
  const { task_id: id } = await enterprise.submit({ task_type: 'research_agent', input }, { signal });
  const { files = [], notes } = await enterprise.waitForResults(id, { signal });
  const [report] = files;
  if (!report) throw new Error('The research has no report.');
  const text = await (await fetch(report.url, { signal })).text();
  return { text, warnings: notes };
}
