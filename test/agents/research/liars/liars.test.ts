/** What is published of statements of known truth when a second look agrees with all, knows all, refuses all, or breaks. */
import { expect, it } from 'vitest';
import { readerFilesFromCheckout } from '../../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../../engines/documents/documents.ts';
import { proves } from '../../../support/proves.ts';
import { type Fate, publish, type Verifier } from './publish.ts';
import {
  CAREFUL,
  computedStatements,
  hiddenStatements,
  misquotedStatements,
  type Statement,
  statements,
  subtleStatements,
  translatedStatements,
} from './statements.ts';

/** The text of a web page, as research reads it. */
async function textOf(html: string): Promise<string> {
  const limits = { seconds: 15, bytes: 1_000_000, requests: 1, pauseMs: 0 };
  const of = { kind: 'page' as const, address: [], headers: {}, limits };
  const shape = { of, base: 'https://harbour.errand-tests.org/', about: [], max: 1 };
  const request = { organization: 'one', signal: new AbortController().signal };
  const { entries } = await documents.entries({ bytes: Buffer.from(html), shape }, request);
  return entries[0]?.text ?? '';
}

const documents = openDocuments(readerFilesFromCheckout());
const hidden = await hiddenStatements(1, textOf);
await documents.close();

/** A quote, a figure in digits or a date that stands nowhere, and wrong arithmetic: code sees these, whoever looks. */
const FOR_CODE = new Set([
  ...['number', 'year', 'month', 'wrong arithmetic', 'wrong operands', 'no formula'],
  ...['quote edited', 'wrong document', 'hidden text'],
]);

const isTrue = ({ lie }: Statement): boolean => lie === undefined;
const generated = [...statements(1), ...computedStatements(1), ...misquotedStatements(1), ...hidden];
const forCode = generated.filter(({ lie }) => lie !== undefined && FOR_CODE.has(lie));
/** False in ways that only reading shows. */
const forReader = [
  ...generated.filter(({ lie }) => lie !== undefined && !FOR_CODE.has(lie)),
  ...subtleStatements(1).filter((_, at) => at % 5 === 0),
];
/** 100: of 40 templates, 20 computed, 20 in another language than their source, 10 easily taken for false, and 10 more. */
const truths = [
  ...generated.filter(isTrue),
  ...translatedStatements(1),
  ...CAREFUL,
  ...statements(2).filter(isTrue).slice(0, 10),
];
/** For those who look in the same way at everything. */
const someOf = (all: readonly Statement[]): Statement[] => all.filter((_, at) => at % 4 === 0);

const WAYS = ['note', 'sentence', 'row'] as const;

/** What becomes of the statements as notes, sentences and rows, in the order of the statements. */
async function fatesOf(all: readonly Statement[], verifier: Verifier): Promise<[string, Fate][]> {
  const fates = await publish(all, verifier);
  return [...fates].flatMap(([{ lie, claim, source }, ofStatement]) =>
    WAYS.map((way): [string, Fate] => [`${way}, ${lie ?? 'true'}: ${claim} | ${source}`, ofStatement[way]]),
  );
}

const only = (all: readonly [string, Fate][], ...fates: Fate[]): string[] =>
  all.flatMap(([shown, fate]) => (fates.includes(fate) ? [shown] : []));
const share = (part: readonly unknown[], whole: readonly unknown[]): string => `${part.length} of ${whole.length}`;

const agreesWithAll: Verifier = () => 'supported';
/** Agrees with whatever a writer has written, and sees through the statements that code made false. */
const clever: Verifier = (statement) => (statement ? 'supported' : 'contradicted');
const honest: Verifier = (statement) => (statement && isTrue(statement) ? 'supported' : 'not_stated');

const LONG = 180_000;

it(
  'publishes nothing false that code can see when a second look agrees with all that a writer wrote',
  async ({ task }) => {
    const [lies, kept] = [await fatesOf(forCode, clever), await fatesOf(truths, clever)];
    expect(only(lies, 'unmarked', 'marked')).toEqual([]);
    expect(only(kept, 'unmarked').length).toBeGreaterThanOrEqual(0.95 * kept.length);
    proves(
      task,
      `a second look that agrees with all but what code made false: 0 of ${lies.length} false statements for code published, ${share(only(kept, 'unmarked'), kept)} true ones unmarked`,
    );
  },
  LONG,
);

it(
  'publishes nothing false without a mark, and the truth without one, when a second look knows the truth',
  async ({ task }) => {
    const [seen, lies, kept] = [
      await fatesOf(someOf(forCode), honest),
      await fatesOf(forReader, honest),
      await fatesOf(truths, honest),
    ];
    expect(only(seen, 'unmarked', 'marked')).toEqual([]);
    expect(only(lies, 'unmarked')).toEqual([]);
    expect(only(kept, 'unmarked').length).toBeGreaterThanOrEqual(0.95 * kept.length);
    proves(
      task,
      `one that knows the truth: 0 of ${lies.length} false statements for a reader unmarked, ${share(only(lies, 'marked'), lies)} marked, ${share(only(kept, 'unmarked'), kept)} true ones unmarked`,
    );
  },
  LONG,
);

it.each<[string, Verifier, Fate]>([
  ['agrees with everything, also with what code made false', agreesWithAll, 'marked'],
  ['contradicts everything', () => 'contradicted', 'left out'],
  ['finds everything not stated', () => 'not_stated', 'marked'],
  ['gives no usable answer', () => 'broken', 'marked'],
])(
  'publishes nothing without a mark when a second look %s',
  async (name, verifier, fate) => {
    const lies = await fatesOf(someOf(forCode), verifier);
    expect(only(lies, 'unmarked', 'marked')).toEqual([]);
    const [others, kept] = [await fatesOf(someOf(forReader), verifier), await fatesOf(someOf(truths), verifier)];
    expect(only([...others, ...kept], 'unmarked'), name).toEqual([]);
    expect(only(kept, fate).length).toBeGreaterThanOrEqual(0.95 * kept.length);
  },
  LONG,
);
