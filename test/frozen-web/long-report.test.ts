/** A long report over generated pages by a writer that writes from the notes it is shown alone, judged by its public results. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ResearchResults } from '../../agents/research/results.ts';
import { RESEARCH_TYPES } from '../../shared/agents/research-input.ts';
import { proves } from '../proves.ts';
import { openResearch } from '../research/setup.ts';
import { mechanicalModel, type Role } from './mechanical-model.ts';
import { placeName } from './names.ts';
import { pagesOfDrafts } from './pages.ts';
import { type FrozenWeb, frozenWeb } from './serve.ts';
import type { Draft } from './topics.ts';

const PORT = placeName(17);
const THEMES = [
  ['market', 'the market for grain'],
  ['competitors', 'the competitors on the river'],
  ['trends', 'the trends in container traffic'],
  ['opportunities', 'the opportunities of the rail link'],
  ['risks', 'the risks of silt and storms'],
  ['wages', 'the wages of dockers and pilots'],
  ['energy', 'the energy of cranes and sheds'],
  ['ferries', 'the ferries to the islands'],
] as const;
const QUAYS = ['north', 'south', 'east', 'west', 'inner', 'outer', 'upper', 'lower'];
const GOODS = ['timber', 'barley', 'cement', 'salt', 'coal', 'apples', 'paper', 'steel'];

/** A sentence with figures of its own, so that no two say the same. */
const factOf = (theme: number, at: number, year: number): string => {
  const [quay, good] = [QUAYS[at % QUAYS.length], GOODS[(at + theme) % GOODS.length]];
  const tonnes = 11_000 + 1_000 * (theme * 17 + at * 3) + year;
  const what = THEMES[theme]?.[1];
  return `In ${year} the ${quay} quay of ${PORT} handled ${tonnes} tonnes of ${good}, which the harbour office, in its account of ${what}, compares with ${tonnes - 700 - at} tonnes a decade before and with the ${at + 3} sheds that stood there then.`;
};

const pageOf = (theme: number, year: number): Draft => {
  const title = `${PORT} harbour: ${THEMES[theme]?.[1]} in ${year}`;
  return {
    title,
    language: 'en',
    lead: `${title}. What was written about the harbour.`,
    body: QUAYS.map((_, at) => factOf(theme, at, year)).join(' '),
    publishedAt: `${year}-11-03T08:00:00.000Z`,
  };
};

/** Two pages say the same of the same year with another figure. */
const contradiction = (figure: number, of: string): Draft => ({
  title: `${PORT} harbour: the depth of the channel, ${of}`,
  language: 'en',
  lead: `${PORT} harbour and its channel, as ${of} tells.`,
  body: `In 2025 the main channel of ${PORT} harbour was dredged to a depth of ${figure} metres over its whole length.`,
});

const DRAFTS = [
  ...THEMES.flatMap((_, theme) => [2023, 2024, 2025].map((year) => pageOf(theme, year))),
  contradiction(45, 'the port'),
  contradiction(52, 'the navy'),
];

let web: FrozenWeb;
beforeAll(async () => {
  web = await frozenWeb(pagesOfDrafts(DRAFTS));
});
afterAll(() => web.close());

type Note = { finding: number; text: string; topics: string[] };
const words = (text: string): string[] => text.toLowerCase().match(/\p{L}{5,}/gu) ?? [];
const overlapOf = (one: string, other: string): number =>
  new Set(words(one).filter((word) => words(other).includes(word))).size;
const sharesWord = (one: string, other: string): boolean => words(one).some((word) => words(other).includes(word));

/** A reader that notes each sentence with a figure, by the topics whose words it has, and a writer of one sentence a note. */
const ROLES: Role[] = [
  [
    /^You read documents/,
    ({ question, topics, most_findings: most }, documents) => {
      const titles = Object.entries(topics as Record<string, string>);
      const findings = (documents as { document: number; title: string; text: string }[]).flatMap(
        ({ document, title, text }) =>
          text
            .split(/(?<=[.!?])\s+|\n+/)
            .filter((sentence) => /\d/.test(sentence) && sharesWord(sentence, title) && !sentence.includes(title))
            .map((sentence) => ({
              ...{ statement: sentence, importance: 2 + overlapOf(sentence, String(question)), sub_question: 1 },
              topics: titles.filter(([, name]) => sharesWord(sentence, name)).map(([nth]) => Number(nth)),
              citations: [{ document, quote: sentence }],
            })),
      );
      return { findings: findings.slice(0, Number(most)) };
    },
  ],
  [
    /^You plan the sections/,
    ({ most_sections: most }, findings) => {
      const notes = (findings as Note[]).filter(({ topics }) => topics.length === 0);
      const byWord = Map.groupBy(
        notes.flatMap(({ finding, text }) => [...new Set(words(text))].map((word) => ({ word, finding }))),
        ({ word }) => word,
      );
      const groups = [...byWord].filter(([, own]) => own.length > 1 && own.length <= notes.length / 3);
      return {
        sections: groups
          .toSorted(([, a], [, b]) => b.length - a.length)
          .slice(0, 3 * Number(most))
          .map(([title, own]) => ({ title, findings: own.map(({ finding }) => finding) }))
          .slice(0, Number(most)),
      };
    },
  ],
  [
    /^You write one section/,
    ({ section, already_written: said }, findings) => {
      const notes = findings as Note[];
      // What stands in the report already is cut to its beginning, as a summary would.
      const cut = (text: string) => (String(said).includes(text) ? `${text.split(',')[0]}.` : text);
      const chosen = /summary|zusammenfassung/i.test(String(section)) ? notes.slice(0, 12) : notes;
      return { paragraphs: chosen.map(({ finding, text }) => ({ text: cut(text), findings: [finding] })) };
    },
  ],
  [
    /^You make a table/,
    (_, findings) => ({
      rows: (findings as Note[]).flatMap(({ finding, text }) => {
        const [, date, of, value, good] =
          /^In (\d{4}) (the \w+ quay of \w+) handled (\d+) tonnes of (\w+)/.exec(text) ?? [];
        return value ? [{ figure: `${good} handled`, of, value, unit: 'tonnes', date, finding }] : [];
      }),
    }),
  ],
  [
    /^You check sentences/,
    (claims) => ({
      verdicts: (claims as unknown as { claim: number; text: string; quotes: { quote: string }[] }[]).map(
        ({ claim, text, quotes }) => {
          const known = quotes.map(({ quote }) => quote).join(' ');
          const isKnown = (text.match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => known.includes(word));
          return { claim, verdict: isKnown ? 'supported' : 'not_in_source' };
        },
      ),
    }),
  ],
];

const QUESTION = `How did the harbour of ${PORT} and the depth of its main channel develop, and what do its market, competitors, trends, opportunities and risks look like?`;

async function reported(given: object, limits: { most?: number } = {}): Promise<ResearchResults> {
  const research = openResearch({}, mechanicalModel({ roles: ROLES }).model);
  research.ports.openPage = web.openPage;
  research.ports.searchConnector = async () => web.connector;
  research.ports.gather = async (_, source) => ({ source, items: [], faults: [], queries: 0, isSample: false });
  const asked = { query: QUESTION, sources: [], depth: 'comprehensive', analysis_depth: 'expert', ...given };
  const { results, report } = await research.run({ length: 'long', ...asked } as never, limits);
  // The file has what a response leaves out.
  const whole = results.truncated ? JSON.parse(await research.textOf(report)) : results;
  research.close();
  return whole;
}

const sentencesOf = ({ deliverables }: ResearchResults): string[] =>
  deliverables.flatMap(({ paragraphs }) => paragraphs.flatMap(({ sentences }) => sentences.map(({ text }) => text)));

const normalized = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
const inWords = ({ deliverables }: ResearchResults) => deliverables.filter(({ paragraphs }) => paragraphs.length > 0);
const wordCount = (results: ResearchResults): number =>
  sentencesOf(results).reduce((sum, text) => sum + text.split(/\s+/).length, 0);

const LONG = 180_000;

it(
  'is long, has sections, a table whose cells are cited, a summary of its own and no sentence twice',
  async ({ task }) => {
    const results = await reported({ research_type: 'market_analysis' });
    const written = inWords(results);
    const tables = results.deliverables.flatMap(({ table }) => table ?? []);
    const sentences = sentencesOf(results).map(normalized);
    const summary = results.deliverables.find(({ deliverable }) => deliverable === 'executive_summary');
    const findings = new Set(results.findings.map(({ text }) => normalized(text)));
    const own = summary?.paragraphs
      .flatMap((one) => one.sentences)
      .filter(({ text }) => !findings.has(normalized(text)));
    const rows = tables.flatMap((table) => table.rows);
    proves(
      task,
      `a long report by a writer of one sentence a note: ${written.length} sections, ${wordCount(results)} words, ${rows.length} cited rows in its table, ${results.documents.filter(({ cited }) => cited).length} documents cited, ${sentences.length - new Set(sentences).size} sentences twice`,
    );
    expect(written.length).toBeGreaterThanOrEqual(8);
    expect(wordCount(results)).toBeGreaterThanOrEqual(3_000);
    expect(sentences.length).toBe(new Set(sentences).size);
    expect(own?.length).toBeGreaterThan(0);
    expect(own?.length).toBe(summary?.paragraphs.flatMap((one) => one.sentences).length);
    const numbers = new Set(results.documents.map(({ document }) => document));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ document }) => document !== null && numbers.has(document))).toBe(true);
    for (const { cells, citations = [] } of rows)
      expect(cells.map((cell, at) => cell === '' || citations[at]?.some((one) => numbers.has(one)))).toEqual(
        cells.map(() => true),
      );
    const limits = results.deliverables.find(({ deliverable }) => deliverable === 'limits');
    expect(limits?.paragraphs.map(({ text }) => text).join(' ')).toMatch(
      /contradict each other: (?:45 metres against 52 metres|52 metres against 45 metres)/,
    );
    expect(limits?.note).toMatch(/no date/);
  },
  LONG,
);

it(
  'has sections of its own for each type of research',
  async () => {
    const titles = new Set<string>();
    for (const type of Object.keys(RESEARCH_TYPES)) {
      const { deliverables } = await reported({ research_type: type, length: 'short', depth: 'overview' });
      // The limits name those that are left out because nothing was found for them.
      titles.add(deliverables.map(({ deliverable, note }) => `${deliverable} ${note ?? ''}`).join());
    }
    expect(titles.size).toBe(Object.keys(RESEARCH_TYPES).length);
  },
  LONG,
);

it(
  'has titles in the language of the question',
  async () => {
    const query = `Wie hat sich der Hafen von ${PORT} entwickelt, und was sind die Risiken für den Hafen?`;
    const { deliverables } = await reported({ query, length: 'short', depth: 'overview' });
    expect(deliverables.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        'Zusammenfassung',
        'Wichtigste Ergebnisse',
        'Grenzen und Widersprüche',
        'Literaturverzeichnis',
      ]),
    );
    expect(deliverables.map(({ deliverable }) => deliverable)).toContain('executive_summary');
  },
  LONG,
);

it(
  'delivers the sections that were written when it was stopped',
  async () => {
    const whole = openResearch({}, mechanicalModel({ roles: ROLES }).model);
    const count = whole.stagesOf({ query: QUESTION, length: 'long', depth: 'comprehensive' }).length;
    whole.close();
    // Before the last stages: the outline, and some sections of those that may be written, are done.
    const stopped = await reported({ research_type: 'market_analysis' }, { most: count - 9 });
    expect(inWords(stopped).length).toBeGreaterThanOrEqual(3);
    expect(stopped.deliverables.some(({ deliverable }) => deliverable === 'executive_summary')).toBe(false);
  },
  LONG,
);
