/** What is published of statements of known truth when the verifier agrees with all, knows all, refuses all, or breaks. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { offlineModel } from '../../../engines/models/offline.ts';
import { itemsOf, openResearch } from '../opened.ts';
import { type Statement, statements, translated } from './statements.ts';

/** Answers one claim, which it sees with its quotes and nothing else. Undefined: it does not answer in the form it should. */
type Verifier = (claim: string, quotes: string[]) => string | undefined;

type VerifierRequest = { text: string; quotes: { quote: string }[] }[];

/** The writer states the claim of each document that it is shown, with the whole source as quote; the verifier is another script. */
function scripted(all: readonly Statement[], verifier: Verifier): LanguageModelV4 {
  const offline = offlineModel();
  const answerTo = (rules: string, material: string): unknown => {
    if (rules.startsWith('You check sentences')) {
      const claims: VerifierRequest = JSON.parse(material.slice(material.indexOf('\n')));
      const verdicts = claims.map(({ text, quotes }, at) => ({
        claim: at + 1,
        verdict: verifier(
          text,
          quotes.map(({ quote }) => quote),
        ),
      }));
      return verdicts.every(({ verdict }) => verdict !== undefined) ? { verdicts } : 'I would rather not say.';
    }
    if (!rules.startsWith('You read documents')) return { queries: [], sections: [], sentences: [] };
    const documents: { document: number; text: string }[] = JSON.parse(material.slice(material.indexOf('\n')));
    const findings = documents.flatMap(({ document, text }) =>
      all
        .filter(({ source }) => source === text)
        .map(({ claim, source }) => ({
          ...{ statement: claim, importance: 5, topics: [] },
          citations: [{ document, quote: source }],
        })),
    );
    return { findings };
  };
  return {
    ...{ specificationVersion: 'v4', provider: 'scripted', modelId: 'm', supportedUrls: {} },
    async doGenerate(options) {
      const { finishReason, usage } = await offline.doGenerate(options);
      const [rules = '', ...texts] = textsOf(options);
      // An answer in another form is asked for once more, with messages behind the first ones.
      const material = texts.find((text) => /^The (?:claims|documents)/.test(text)) ?? '';
      const said = answerTo(rules, material);
      const text = typeof said === 'string' ? said : JSON.stringify(said);
      return { content: [{ type: 'text', text }], finishReason, usage, warnings: [] };
    },
    doStream() {
      throw new Error('Answers are read by doGenerate.');
    },
  };
}

const textsOf = ({ prompt }: LanguageModelV4CallOptions): string[] =>
  prompt.map(({ content }) =>
    typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );

const AT_ONCE = 12;

type Published = { claim: string; by: string };

/** Each statement is read from a document of its own; the text of what is published tells which of them passed. */
async function publishedOf(all: readonly Statement[], verifier: Verifier) {
  const published: Published[] = [];
  const quotes: string[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const part = all.slice(from, from + AT_ONCE);
    const items = part.map(({ source }, at) => ({ title: `Report of the ledger ${at}`, text: source }));
    const at = openResearch(
      { news_feeds: { items: itemsOf('news_feeds', items), queries: 1 } },
      scripted(part, verifier),
    );
    const asks = { query: 'What does the report of the ledger say?', deliverables: ['bibliography'] };
    const { results } = await at.run({ ...asks, depth: 'comprehensive', analysis_depth: 'expert' });
    at.close();
    for (const { text, is_quote: isQuote, checked_by: by } of results.findings) {
      if (isQuote) quotes.push(text);
      else published.push({ claim: text, by });
    }
  }
  return { published, quotes };
}

const one = statements(1);
const lies = one.filter(({ lie }) => lie !== undefined);
const truths = [...one.filter(({ lie }) => lie === undefined), ...translated(1)];

/** False in ways that only reading shows. */
const SUBTLE: Statement[] = [
  [
    'Profits at Norvik may fall by 3 per cent in 2026.',
    'Profits at Norvik will fall by 3 per cent in 2026.',
    'may turned into will',
  ],
  [
    'Fees at Norvik rose by 4 per cent in 2025.',
    'Fees at Norvik rose by 4 per cent in 2025 because fuel was dear.',
    'an invented cause',
  ],
  [
    'In two ports Norvik raised fees by 5 per cent in 2025.',
    'Norvik raised fees by 5 per cent in 2025.',
    'a part for the whole',
  ],
  [
    'Rivals say that Norvik lost 6 per cent of sales in 2025.',
    'Norvik lost 6 per cent of sales in 2025.',
    'a dropped attribution',
  ],
  [
    'Fees at Norvik rose by 7 per cent on the month in 2025.',
    'Fees at Norvik rose by 7 per cent on the year in 2025.',
    'another base',
  ],
  [
    'In 2019 Norvik was the largest carrier with 8 ships.',
    'Norvik is the largest carrier with 8 ships.',
    'a stale fact as present',
  ],
].map(([source = '', claim = '', lie = '']) => ({ template: 'subtle', source, claim, lie, title: '' }));

const key = ({ claim, source }: Pick<Statement, 'claim' | 'source'>) => `${claim} | ${source}`;

it('publishes no lie that code can see when the verifier agrees with everything', async () => {
  const { published } = await publishedOf([...lies, ...truths], () => 'supported');
  const claims = new Set(published.map(({ claim }) => claim));
  expect(lies.filter(({ claim }) => claims.has(claim) && !truths.some((truth) => truth.claim === claim))).toEqual([]);
  expect(truths.filter(({ claim }) => claims.has(claim)).length).toBeGreaterThanOrEqual(0.95 * truths.length);
}, 60_000);

it('says of what only the verifier can see that a model checked it', async () => {
  const { published } = await publishedOf(SUBTLE, () => 'supported');
  expect(published.map(({ by }) => by)).toEqual(SUBTLE.map(() => 'model'));
});

it('publishes the truth alone when the verifier knows it', async () => {
  const verdicts = new Map([
    ...SUBTLE.map((statement) => [key(statement), 'not_in_source'] as const),
    ...truths.map((statement) => [key(statement), 'supported'] as const),
  ]);
  const unknown: string[] = [];
  const oracle: Verifier = (claim, [source = '']) => {
    const verdict = verdicts.get(key({ claim, source }));
    if (verdict === undefined) unknown.push(key({ claim, source }));
    return verdict;
  };
  const { published } = await publishedOf([...SUBTLE, ...truths], oracle);
  expect(unknown).toEqual([]);
  const claims = new Set(published.map(({ claim }) => claim));
  expect(SUBTLE.filter(({ claim }) => claims.has(claim))).toEqual([]);
  expect(truths.filter(({ claim }) => claims.has(claim)).length).toBeGreaterThanOrEqual(0.95 * truths.length);
}, 60_000);

it('publishes nothing when the verifier refuses everything', async () => {
  const { published, quotes } = await publishedOf(truths.slice(0, AT_ONCE), () => 'contradicted');
  expect([published, quotes]).toEqual([[], []]);
});

it('publishes quotes in place of statements when the verifier breaks', async () => {
  const part = truths.slice(0, AT_ONCE);
  const { published, quotes } = await publishedOf(part, () => undefined);
  expect(published).toEqual([]);
  expect(quotes.length).toBeGreaterThan(0);
  for (const quote of quotes) expect(part.some(({ source }) => source.includes(quote.slice(0, -1)))).toBe(true);
});
