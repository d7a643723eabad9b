/** Runs the processing agent in process on the document of a pair with a scripted model, and compares the record with the truth. */

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { DocumentRecord, FieldResult } from '../../../shared/agents/results/records.ts';
import { openProcessing } from '../../agents/processing/setup.ts';
import { type Asked, isSecondLook, promptOf, verdictsOn } from '../../agents/scripted-look.ts';
import { scriptedModel } from '../../agents/scripted-model.ts';
import { documentOf } from './documents.ts';
import type { Pair, Row, Value } from './pairs.ts';

/** Says what the model answers to a prompt. */
export type Answer = (prompt: string, options: LanguageModelV4CallOptions) => ReturnType<LanguageModelV4['doGenerate']>;

export const saying = (text: string, options: LanguageModelV4CallOptions) =>
  scriptedModel({ text }).model.doGenerate(options);

/** Whether a second look agrees to a statement. */
export type Look = (asked: Asked) => boolean;

export const refusing: Look = () => false;
/** Agrees to everything, also to the statement that code made false. */
export const agreeing: Look = () => true;

/** Proposes fields, and looks at them a second time. */
export const proposing =
  (fields: (lines: string[]) => unknown, look: Look): Answer =>
  (prompt, options) => {
    if (isSecondLook(prompt)) return saying(verdictsOn(prompt, look), options);
    const lines = prompt.split('\n');
    // The document begins behind its outline, which quotes its words, too.
    const shown = lines.slice(lines.findIndex((line) => /^\[.+\]$/.test(line)));
    return saying(JSON.stringify({ fields: fields(shown) }), options);
  };

/** A second look that knows the truth, and agrees if the quotes are about it, too. */
export function honestLook(pair: Pair): Look {
  const facts = new Map(pair.facts.map((fact) => [fact.name, fact]));
  return ({ field = '', of = '', value, quotes }) => {
    const evidence = JSON.stringify(quotes).toLowerCase();
    if (field === 'lines') return String(value).startsWith(`${pair.rows.length} entries`);
    const cell = /^lines\.\d+\.(article|quantity|price)$/.exec(field)?.[1] as keyof Row | undefined;
    if (cell)
      return pair.rows.some(
        (row) =>
          row[cell] === value &&
          (cell === 'article' || of === `the entry with article "${row.article}"`) &&
          quotes.some(({ text }) => text.includes(row.article)),
      );
    const fact = facts.get(field);
    return fact !== undefined && fact.value === value && evidence.includes(fact.label.toLowerCase());
  };
}

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

export type Compared = {
  standing: number;
  right: number;
  wrong: string[];
  /** How many values are proven or computed, and those of them that are false. */
  proven: number;
  falsePaths: string[];
  /** How many values are delivered, and those of them that are wrong. */
  delivered: number;
  wronglyDelivered: string[];
  /** What is delivered and neither proven nor computed. */
  judged: string[];
};

type Cells = Map<string, FieldResult>;

/** Values by their entry; those that are no entry's are under ''. */
const byEntry = (fields: readonly FieldResult[]): Map<string, FieldResult[]> =>
  Map.groupBy(fields, ({ path }) => /^lines\.\d+/.exec(path)?.[0] ?? '');

/** Each entry has to be a row of its own, whichever: where one is left out, the next move up. */
function falseOf({ facts, rows }: Pair, fields: readonly FieldResult[]): FieldResult[] {
  const truth = new Map(facts.map(({ name, value }) => [name, value]));
  const left = [...rows];
  return [...byEntry(fields)].flatMap(([entry, own]) => {
    if (entry === '') return own.filter(({ path, value }) => truth.get(path) !== value);
    const cells = new Map(own.map((field) => [field.path.split('.').at(-1) ?? '', field]));
    const at = left.findIndex((row) => isOfRow(cells, row));
    if (at < 0) return own;
    left.splice(at, 1);
    return [];
  });
}

const isOfRow = (cells: Cells, row: Row): boolean =>
  [...cells].every(([name, { value }]) => row[name as keyof Row] === value);

/** `skipped` are the paths that a model lied about: they may be missing, but not delivered wrongly. */
export function compareRecord(
  pair: Pair,
  { record, failure }: Ran,
  skipped: ReadonlySet<string> = new Set(),
): Compared {
  const truth = truthOf(pair);
  const all = record?.fields ?? [];
  const fields = new Map(all.map((field) => [field.path, field]));
  const wanted = [...truth].filter(([path]) => !skipped.has(path));
  const wrong = wanted.flatMap(([path, value]) => {
    const field = fields.get(path);
    const shown = `pair ${pair.seed} (${pair.form}) ${path}: ${field?.value} for ${value}, ${field?.status}: ${field?.reason ?? failure?.message}`;
    return field?.value === value ? [] : [shown];
  });
  const isClaimed = ({ status }: FieldResult) => status === 'proven' || status === 'computed';
  const claimed = all.filter(isClaimed);
  const delivered = all.filter(({ value }) => value !== null);
  const shown = ({ path, value, status, basis }: FieldResult) =>
    `pair ${pair.seed} (${pair.form}) ${path}: ${value} for ${truth.get(path)}, ${status}, quote ${JSON.stringify(basis[0]?.quote)}`;
  return {
    standing: wanted.length,
    right: wanted.length - wrong.length,
    wrong,
    proven: claimed.length,
    falsePaths: falseOf(pair, claimed).map(shown),
    delivered: delivered.length,
    wronglyDelivered: falseOf(pair, delivered).map(shown),
    judged: delivered.filter((field) => !isClaimed(field)).map(shown),
  };
}
