/** A long report over generated pages by a writer that writes from the notes it is shown alone, judged by its public results. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { RESEARCH_TYPES } from '../../../shared/agents/research-options.ts';
import type { ResearchResults } from '../../../shared/agents/results/research.ts';
import { linesIn, mechanicalModel, type Role, wishedIn } from '../../evidence/frozen-web/mechanical-model.ts';
import { placeName } from '../../evidence/frozen-web/names.ts';
import { pagesOfDrafts } from '../../evidence/frozen-web/pages.ts';
import { type FrozenWeb, frozenWeb } from '../../evidence/frozen-web/serve.ts';
import type { Draft } from '../../evidence/frozen-web/topics.ts';
import { verdictsOn } from '../scripted-look.ts';
import { openResearch } from './setup.ts';

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

const paragraphOf = (text: string, findings: number[], kind = 'fact') => ({ sentences: [{ text, kind, findings }] });
const inFull = ({ finding, text }: Note) => paragraphOf(text, [finding]);
/** As a summary would, to the beginning of the note. */
const cut = ({ finding, text }: Note) => paragraphOf(`${text.split(',')[0]}.`, [finding]);

/** Sections of its own on words that many notes have, and few enough to tell notes apart. */
function addedSections(notes: readonly Note[], most: number) {
  const byWord = Map.groupBy(
    notes.flatMap((note) => [...new Set(words(note.text))].map((word) => ({ word, note }))),
    ({ word }) => word,
  );
  const groups = [...byWord].filter(([, group]) => group.length > 1 && group.length <= notes.length / 3);
  return groups
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, most)
    .map(([word, group]) => ({ section: 0, title: word, paragraphs: group.map(({ note }) => inFull(note)) }));
}

/** The depths that the notes tell, against each other. */
function contradictions(notes: readonly Note[]) {
  const depths = notes.flatMap(({ finding, text }) => {
    const depth = /depth of (\d+ metres)/.exec(text)?.[1];
    return depth === undefined ? [] : [{ finding, depth }];
  });
  const [first, other] = depths;
  if (!first || !other) return [];
  const text = `Sources contradict each other on the depth of the channel: ${first.depth} against ${other.depth}.`;
  return [paragraphOf(text, [first.finding, other.finding])];
}

const rowsOf = (notes: readonly Note[]) =>
  notes.flatMap(({ finding, text }) => {
    const [, date, of, value, good] =
      /^In (\d{4}) (the \w+ quay of \w+) handled (\d+) tonnes of (\w+)/.exec(text) ?? [];
    return value ? [{ figure: `${good} handled`, of, value, unit: 'tonnes', date, findings: [finding] }] : [];
  });

const isKnownIn = (statement: string, evidence: string): boolean =>
  (statement.match(/\p{L}{5,}|\d+/gu) ?? []).every((word) => FROM_WRITER.has(word) || evidence.includes(word));
const FROM_WRITER = new Set(['Sources', 'contradict', 'other', 'against', 'handled']);

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
              // What the question asks for by name matters most.
              importance: /channel/.test(sentence) ? 5 : Math.min(4, 2 + overlapOf(sentence, String(question))),
              ...{ statement: sentence, sub_question: 1 },
              topics: titles.filter(([, name]) => sharesWord(sentence, name)).map(([nth]) => Number(nth)),
              citations: [{ document, quote: sentence }],
            })),
      );
      return { findings: findings.slice(0, Number(most)) };
    },
  ],
  [
    /^You write a report/,
    (_, __, texts) => {
      const notes = linesIn<Note>(texts, 'finding');
      const { sections, most_rows: rows, most_added: most } = wishedIn(texts);
      const paragraphsOf: Record<string, (title: string) => object[]> = {
        summary: () =>
          notes
            .filter(({ text }) => text.includes(','))
            .slice(0, 12)
            .map(cut),
        limits: () => contradictions(notes),
        topic: (title) => notes.filter(({ topics }) => topics.includes(title)).map(inFull),
        findings: () => notes.map(inFull),
        recommendations: () => [],
      };
      const wanted = sections.map(({ section, title, kind }) => ({
        section,
        paragraphs: paragraphsOf[kind]?.(title) ?? [],
      }));
      return { sections: [...wanted, ...addedSections(notes, most)], rows: rows > 0 ? rowsOf(notes) : [] };
    },
  ],
  [
    /^You check statements/,
    (_, __, texts) =>
      JSON.parse(verdictsOn(texts.join('\n'), ({ text = '', quotes }) => isKnownIn(text, JSON.stringify(quotes)))),
  ],
];

const QUESTION = `How did the harbour of ${PORT} and the depth of its main channel develop, and what do its market, competitors, trends, opportunities and risks look like?`;

async function reported(given: object, limits: { most?: number } = {}) {
  const mechanical = mechanicalModel({ roles: ROLES });
  const research = openResearch({}, mechanical.model);
  research.ports.openPage = web.openPage;
  research.ports.searchConnector = async () => web.connector;
  research.ports.gather = async (_, source) => ({ source, items: [], faults: [], queries: 0, isSample: false });
  const asked = { query: QUESTION, sources: [], depth: 'comprehensive', analysis_depth: 'expert', ...given };
  const { results, report } = await research.run({ length: 'long', ...asked } as never, limits);
  // The file has what a response leaves out.
  const whole: ResearchResults = results.truncated ? JSON.parse(await research.textOf(report)) : results;
  research.close();
  const writes = mechanical.given.filter(({ prompt }) => JSON.stringify(prompt[0]).includes('You write a report'));
  return { results: whole, writes: writes.length };
}

const sentencesOf = ({ deliverables }: ResearchResults): string[] =>
  deliverables.flatMap(({ paragraphs }) => paragraphs.flatMap(({ sentences }) => sentences.map(({ text }) => text)));

const normalized = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ');
const inWords = ({ deliverables }: ResearchResults) => deliverables.filter(({ paragraphs }) => paragraphs.length > 0);
const wordCount = (results: ResearchResults): number =>
  sentencesOf(results).reduce((sum, text) => sum + text.split(/\s+/).length, 0);

const LONG = 180_000;

it(
  'is long, has sections of its own, a table with a citation a row, and a summary in other words, in two calls',
  async () => {
    const { results, writes } = await reported({ research_type: 'market_analysis' });
    const written = inWords(results);
    const rows = results.deliverables.flatMap(({ table }) => table?.rows ?? []);
    const summary = results.deliverables.find(({ deliverable }) => deliverable === 'executive_summary');
    const summarized = summary?.paragraphs.flatMap(({ sentences }) => sentences.map(({ text }) => normalized(text)));
    const findings = new Set(results.findings.map(({ text }) => normalized(text)));
    expect(writes).toBe(2);
    // A section that the writer added is called by its title alone.
    expect(written.filter(({ deliverable, title }) => deliverable === title).length).toBeGreaterThan(0);
    expect(written.length).toBeGreaterThanOrEqual(8);
    expect(wordCount(results)).toBeGreaterThanOrEqual(3_000);
    expect(summarized?.length).toBeGreaterThan(0);
    expect(summarized?.filter((text) => findings.has(text))).toEqual([]);
    const numbers = new Set(results.documents.map(({ document }) => document));
    expect(rows.length).toBeGreaterThan(0);
    for (const { document, citations = [] } of rows) {
      expect(document !== null && numbers.has(document)).toBe(true);
      expect(citations.at(-1)?.length).toBeGreaterThan(0);
    }
    const limits = results.deliverables.find(({ deliverable }) => deliverable === 'limits');
    expect(limits?.paragraphs.map(({ text }) => text).join(' ')).toMatch(
      /contradict each other.*: (?:45 metres against 52 metres|52 metres against 45 metres)/,
    );
    expect(limits?.note).toMatch(/no date/);
    expect(results.statements_thrown_out).toBe(0);
  },
  LONG,
);

it(
  'has sections of its own for each type of research',
  async () => {
    const titles = new Set<string>();
    for (const type of Object.keys(RESEARCH_TYPES)) {
      const { results } = await reported({ research_type: type, length: 'short', depth: 'overview' });
      // The limits name those that are left out because nothing was found for them.
      titles.add(results.deliverables.map(({ deliverable, note }) => `${deliverable} ${note ?? ''}`).join());
    }
    expect(titles.size).toBe(Object.keys(RESEARCH_TYPES).length);
  },
  LONG,
);

it(
  'has titles in the language of the question',
  async () => {
    const query = `Wie hat sich der Hafen von ${PORT} entwickelt, und was sind die Risiken für den Hafen?`;
    const { results } = await reported({ query, length: 'short', depth: 'overview' });
    const { deliverables } = results;
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
  'delivers the findings where the report was not yet written when it was stopped',
  async () => {
    const whole = openResearch({}, mechanicalModel({ roles: ROLES }).model);
    const count = whole.stagesOf({ query: QUESTION, length: 'long', depth: 'comprehensive' }).length;
    whole.close();
    for (const [left, writes] of [
      [5, 0],
      [3, 2],
    ] as const) {
      const stopped = await reported({ research_type: 'market_analysis' }, { most: count - left });
      expect(stopped.writes).toBe(writes);
      expect(stopped.results.findings.length).toBeGreaterThan(0);
      expect(stopped.results.findings.filter(({ checked_by: by }) => by !== null)).toEqual([]);
    }
  },
  LONG,
);
