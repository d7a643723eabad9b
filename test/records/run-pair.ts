/** Runs the processing agent in process on the document of a pair with a scripted model, and compares the record with the truth. */

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { DocumentRecord } from '../../agents/records/record-plan.ts';
import { scriptedModel } from '../agents/scripted-model.ts';
import { openProcessing } from '../processing/setup.ts';
import { documentOf } from './documents.ts';
import type { Pair, Value } from './pairs.ts';

const promptOf = ({ prompt }: LanguageModelV4CallOptions): string =>
  prompt
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.flatMap((part) => ('text' in part ? [part.text] : [])),
    )
    .join('\n');

/** Says what the model answers to a prompt; the second look at judgements is always agreed to, as a liar would. */
export type Answer = (prompt: string, options: LanguageModelV4CallOptions) => ReturnType<LanguageModelV4['doGenerate']>;

export const saying = (text: string, options: LanguageModelV4CallOptions) =>
  scriptedModel({ text }).model.doGenerate(options);

type Verdict = (asked: { field: string; quote?: string }) => boolean;

export const agrees: Verdict = () => true;

export const proposing =
  (fields: (lines: string[]) => unknown, follows: Verdict = agrees): Answer =>
  (prompt, options) => {
    const lines = prompt.split('\n');
    // The document begins behind its outline, which quotes its words, too.
    const shown = lines.slice(lines.findIndex((line) => /^\[.+\]$/.test(line)));
    if (!prompt.includes('"follows"')) return saying(JSON.stringify({ fields: fields(shown) }), options);
    const asked = lines.filter((line) => line.startsWith('{"number":')).map((line) => JSON.parse(line));
    const answers = asked.map((one) => ({ number: one.number, follows: follows(one) }));
    return saying(JSON.stringify({ answers }), options);
  };

/** A second look that does read: the quote has the words of the field. */
export const reads: Verdict = ({ field, quote = '' }) =>
  field.startsWith('lines.') || quote.toLowerCase().includes(field.replaceAll('_', ' '));

export type Ran = {
  /** The public results as JSON has them. */
  results?: unknown;
  record?: DocumentRecord;
  schema?: Record<string, unknown>;
  failure?: { code?: string; message: string };
};

export function openRuns() {
  let answer: Answer = (_, options) => saying('', options);
  const model: LanguageModelV4 = {
    ...scriptedModel().model,
    doGenerate: (options) => answer(promptOf(options), options),
  };
  const at = openProcessing(model);
  async function run(pair: Pair, next: Answer): Promise<Ran> {
    answer = next;
    const { name, bytes } = documentOf(pair);
    const asks = { documents: [at.serve(name, bytes)], output_schema: pair.schema };
    try {
      const { results } = await at.run(asks, { modelId: 'scripted/model' });
      const [record] = results.records ?? [];
      const shown = JSON.parse(JSON.stringify(results));
      return {
        results: shown,
        ...(record ? { record } : {}),
        ...(results.output_schema ? { schema: results.output_schema } : {}),
      };
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      return { failure: { message, ...(code === undefined ? {} : { code }) } };
    }
  }
  return { run, close: () => at.close() };
}

/** What the pair's record has at each path. */
export function truthOf({ facts, rows }: Pair): Map<string, Value> {
  const inRows = rows.flatMap(({ article, quantity, price }, at): [string, Value][] => [
    [`lines.${at}.article`, article],
    [`lines.${at}.quantity`, quantity],
    [`lines.${at}.price`, price],
  ]);
  return new Map([...facts.map(({ name, value }): [string, Value] => [name, value]), ...inRows]);
}

export type Compared = { standing: number; right: number; wrong: string[]; falsePaths: string[]; proven: number };

/** `skipped` are the paths that a model lied about: they may be missing, but not false and proven. */
export function compareRecord(
  pair: Pair,
  { record, failure }: Ran,
  skipped: ReadonlySet<string> = new Set(),
): Compared {
  const truth = truthOf(pair);
  const fields = new Map(record?.fields.map((field) => [field.path, field]));
  const wanted = [...truth].filter(([path]) => !skipped.has(path));
  const wrong = wanted.flatMap(([path, value]) => {
    const field = fields.get(path);
    const shown = `pair ${pair.seed} (${pair.form}) ${path}: ${field?.value} for ${value}, ${field?.status}: ${field?.reason ?? failure?.message}`;
    return field?.value === value ? [] : [shown];
  });
  const claimed = [...fields.values()].filter(({ status }) => status === 'proven' || status === 'computed');
  const isFalse = claimed.filter(({ path, value }) => truth.get(path) !== value);
  return {
    standing: wanted.length,
    right: wanted.length - wrong.length,
    wrong,
    proven: claimed.length,
    falsePaths: isFalse.map(
      ({ path, value, basis }) =>
        `pair ${pair.seed} (${pair.form}) ${path}: ${value} for ${truth.get(path)}, quote ${JSON.stringify(basis[0]?.quote)}`,
    ),
  };
}
