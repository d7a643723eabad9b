/** What is published of statements of known truth when the verifier agrees with all, knows all, refuses all, or breaks. */
import { expect, it } from 'vitest';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { proves } from '../../proves.ts';
import { AT_ONCE, publish, type Verifier } from './publish.ts';
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

const isLie = ({ lie }: Statement): boolean => lie !== undefined;

/** The text of a web page, as research reads it. */
async function textOf(html: string): Promise<string> {
  const limits = { seconds: 15, bytes: 1_000_000, requests: 1, pauseMs: 0 };
  const of = { kind: 'page' as const, address: [], headers: {}, limits };
  const shape = { of, base: 'https://harbour.errand-tests.org/', about: [], max: 1 };
  const ask = { organization: 'one', signal: new AbortController().signal };
  const { entries } = await documents.entries({ bytes: Buffer.from(html), shape }, ask);
  return entries[0]?.text ?? '';
}

const documents = openDocuments(readerFilesFromCheckout());
const hidden = await hiddenStatements(1, textOf);
await documents.close();
const generated = [...statements(1), ...computedStatements(1), ...misquotedStatements(1), ...hidden];
/** Code must see these alone. */
const lies = generated.filter(isLie);
/** False in ways that only reading shows. */
const subtle = subtleStatements(1);
/** 100: of 40 templates, 20 computed, 20 in another language than their source, 10 easily taken for false, and 10 more. */
const truths = [
  ...generated.filter((one) => !isLie(one)),
  ...translatedStatements(1),
  ...CAREFUL,
  ...statements(2)
    .filter((one) => !isLie(one))
    .slice(0, 10),
];

const key = ({ claim, source }: Pick<Statement, 'claim' | 'source'>) => `${claim} | ${source}`;
const shown = (all: readonly Statement[]) => all.map((one) => `${one.lie ?? 'true'}: ${key(one)}`);

it('publishes no lie that code can see when the verifier agrees with everything', async ({ task }) => {
  const { published } = await publish([...lies, ...truths], () => 'supported');
  expect(shown(lies.filter((one) => published.has(one)))).toEqual([]);
  const kept = truths.filter((one) => published.has(one));
  expect(kept.length).toBeGreaterThanOrEqual(0.95 * truths.length);
  proves(
    task,
    `a verifier that agrees with everything: 0 of ${lies.length} false sentences for code published, ${kept.length} of ${truths.length} true ones`,
  );
}, 120_000);

it('says of what only the verifier can see that a model checked it', async () => {
  const { published } = await publish(subtle, () => 'supported');
  expect(new Set(published.values())).toEqual(new Set(['model']));
  expect(published.size).toBeGreaterThanOrEqual(0.8 * subtle.length);
}, 120_000);

it('publishes the truth alone when the verifier knows it', async ({ task }) => {
  const verdicts = new Map([
    ...[...lies, ...subtle].map((statement) => [key(statement), 'not_in_source'] as const),
    ...truths.map((statement) => [key(statement), 'supported'] as const),
  ]);
  const unknown: string[] = [];
  const oracle = (claim: string, [source = '']: string[]) => {
    const verdict = verdicts.get(key({ claim, source }));
    if (verdict === undefined) unknown.push(key({ claim, source }));
    return verdict;
  };
  const { published } = await publish([...subtle, ...truths], oracle);
  expect(unknown).toEqual([]);
  expect(shown(subtle.filter((one) => published.has(one)))).toEqual([]);
  const kept = truths.filter((one) => published.has(one));
  expect(kept.length).toBeGreaterThanOrEqual(0.95 * truths.length);
  proves(
    task,
    `one that knows the truth: 0 of ${subtle.length} false ones for the verifier, ${kept.length} of ${truths.length} true ones`,
  );
}, 120_000);

/** Splits a claim behind its conjunction, and judges what it can: whether the rest is in the source. */
const splitting: Verifier = (claim, [source = '']) => {
  const [rest] = /(?: and| und| et| y| e) \p{Ll}[^,]*[.]$/u.exec(claim) ?? [''];
  const ends = subtle.some((one) => one.lie === 'half true' && one.claim === claim) && rest !== '';
  const statements = ends
    ? [
        { text: claim.replace(rest, '.'), verdict: 'supported' },
        { text: rest.trim(), verdict: source.includes(rest.slice(0, -1)) ? 'supported' : 'not_in_source' },
      ]
    : [{ text: claim, verdict: 'supported' }];
  return { verdict: 'supported', statements };
};

it('publishes no claim of which one single statement is refused, whatever the verdict on the whole', async ({
  task,
}) => {
  const halves = subtle.filter(({ lie }) => lie === 'half true');
  const { published } = await publish([...halves, ...truths], splitting);
  expect(shown(halves.filter((one) => published.has(one)))).toEqual([]);
  const kept = truths.filter((one) => published.has(one));
  expect(kept.length).toBeGreaterThanOrEqual(0.95 * truths.length);
  proves(
    task,
    `one that splits: 0 of ${halves.length} half-true sentences, ${kept.length} of ${truths.length} true ones`,
  );
}, 120_000);

const FERRY = {
  title: 'Ferries',
  source: 'The Ostheim Ferry Company carried 41,000 passengers in May 2025 and will keep its winter timetable.',
};

it('checks the single statements by code, too', async () => {
  const claim = 'The Ostheim Ferry Company carried 41,000 passengers in May 2025.';
  const saying =
    (text: string): Verifier =>
    (_, __) => ({ verdict: 'supported', statements: [{ text, verdict: 'supported' }] });
  const kept = await publish([{ ...FERRY, claim }], saying(claim));
  expect(kept.texts).toEqual([claim]);
  const refused = await publish([{ ...FERRY, claim }], saying('Ostheim carried 42,000 passengers in May 2025.'));
  expect(refused.texts).toEqual([]);
});

it('takes the subject of a sentence from the beginning of its document', async () => {
  const quote = 'The tenant may leave on 31 March 2029.';
  const source = `Lease between Kersten and Orla Foods, the tenant.\n\n${quote}`;
  const stated = { title: 'Lease', source, quote, claim: 'Orla Foods may leave on 31 March 2029.' };
  expect((await publish([stated], () => 'supported')).texts).toEqual([stated.claim]);
  const other = { ...stated, claim: 'Norvik may leave on 31 March 2029.' };
  expect((await publish([other], () => 'supported')).texts).toEqual([]);
});

it('rewrites a refused note once, and checks it again', async () => {
  const claim = 'In May 2025, the Ostheim Ferry Company carried 42,000 passengers.';
  const corrected = 'In May 2025, the Ostheim Ferry Company carried 41,000 passengers.';
  const { texts, notes } = await publish([{ ...FERRY, claim, corrected }], () => 'supported');
  expect(texts).toEqual([corrected]);
  expect(notes.join(' ')).not.toContain('removed');
  const again = await publish([{ ...FERRY, claim, corrected: claim.replace('42', '43') }], () => 'supported');
  expect(again.texts).toEqual([]);
  expect(again.notes.join(' ')).toContain('1 statement was removed');
});

it('publishes nothing when the verifier refuses everything, and says so', async () => {
  const part = truths.slice(0, AT_ONCE);
  const asked = ['executive_summary', 'key_findings', 'risks'];
  const { published, quotes, notes, sections } = await publish(part, () => 'contradicted', asked);
  expect([published.size, quotes]).toEqual([0, []]);
  expect(notes.join(' ')).toContain(`${AT_ONCE} statements were removed`);
  expect(notes.join(' ')).toContain('No statement of the model passed the check.');
  expect(notes.join(' ')).not.toMatch(/say nothing|answers/);
  expect(sections).toEqual(asked.map(() => 'No statement of the model passed the check.'));
});

it('publishes quotes in place of statements when the verifier breaks', async () => {
  const part = truths.slice(0, AT_ONCE);
  const { published, quotes, notes } = await publish(part, () => undefined);
  expect(published.size).toBe(0);
  expect(quotes.length).toBeGreaterThan(0);
  expect(notes.join(' ')).toContain('gave no usable answer to the check');
  expect(notes.join(' ')).not.toContain('sources do not confirm');
  for (const quote of quotes) expect(part.some(({ source }) => source.includes(quote.slice(0, -1)))).toBe(true);
});
