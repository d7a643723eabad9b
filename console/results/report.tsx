/** A research report: sections, citations with links to sources, tables and charts. */
import type { ComponentChildren } from 'preact';
import { exactTime, labelOf } from '../format.ts';
import { Scroll } from '../ui/parts.tsx';
import { More } from './any-result.tsx';
import { Chart, type ChartData } from './chart.tsx';

type JsonObject = Record<string, unknown>;

/** `mark`: what a reader has to know about the sentence, and why. */
type ShownSentence = { text: string; mark: string | undefined; reason: string | undefined };
type ShownParagraph = { sentences: ShownSentence[]; citations: number[]; isQuote: boolean };
type ShownCell = { text: string; citations: number[] };
type ShownTable = { columns: string[]; rows: ShownCell[][] };
type ShownSection = {
  title: string;
  note: string | undefined;
  paragraphs: ShownParagraph[];
  charts: ChartData[];
  table: ShownTable | undefined;
  documents: number[];
};
type ShownSource = {
  number: number;
  title: string;
  address: string | undefined;
  date: string | undefined;
  isSample: boolean;
  /** Present for a cited source whose text is stored. */
  snapshot: KeptSource | undefined;
};
export type KeptSource = { taskId: string; source: number };
type Research = { notes: string[]; isNothingFound: boolean; sections: ShownSection[]; sources: ShownSource[] };

const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((entry): entry is JsonObject => typeof entry === 'object' && entry !== null) : [];
const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
const numbers = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'number') : [];
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

export const hasFoundNothing = ({ outcome }: JsonObject): boolean => outcome === 'nothing_found';

/** `undefined`: there are no sections to show. Sections of a research that found nothing are only headings. */
export function researchIn(results: JsonObject): Research | undefined {
  const sections = objects(results.deliverables);
  if (sections.length === 0) return undefined;
  const isNothingFound = hasFoundNothing(results);
  const charts = new Map(
    objects(results.charts).map((chart, index) => [Number(chart.chart ?? index + 1), chartIn(chart)]),
  );
  const sourceNames = new Set(objects(results.documents).flatMap(({ source }) => text(source) ?? []));
  return {
    notes: strings(results.notes),
    isNothingFound,
    sections: isNothingFound ? [] : sections.map((section) => sectionIn(section, charts, sourceNames)),
    sources: objects(results.documents).map(sourceIn),
  };
}

function sectionIn(
  section: JsonObject,
  charts: Map<number, ChartData | undefined>,
  sourceNames: ReadonlySet<string>,
): ShownSection {
  return {
    title: text(section.title) ?? text(section.deliverable) ?? '',
    note: text(section.note),
    paragraphs: objects(section.paragraphs).flatMap((paragraph) => paragraphIn(paragraph)),
    charts: numbers(section.charts).flatMap((number) => charts.get(number) ?? []),
    table: tableIn(section.table, sourceNames),
    documents: numbers(section.documents),
  };
}

function paragraphIn(paragraph: JsonObject): ShownParagraph[] {
  const whole = text(paragraph.text);
  if (!whole) return [];
  const sentences = objects(paragraph.sentences).map((sentence) => ({
    text: text(sentence.text) ?? '',
    mark: markOf(sentence),
    reason: text(sentence.unconfirmed),
  }));
  const isMarked = sentences.some(({ mark }) => mark !== undefined);
  return [
    {
      sentences: isMarked ? sentences : [{ text: whole, mark: undefined, reason: undefined }],
      citations: numbers(paragraph.citations),
      isQuote: paragraph.is_quote === true,
    },
  ];
}

function markOf({ unconfirmed, kind }: JsonObject): string | undefined {
  if (text(unconfirmed)) return 'not confirmed';
  return kind === 'advice' ? 'the writer’s conclusion' : undefined;
}

function chartIn({ title, kind, unit, x, series, source }: JsonObject): ChartData | undefined {
  const labels = strings((x as JsonObject | undefined)?.labels);
  const lines = objects(series).map((line) => ({
    name: text(line.name) ?? '',
    values: (Array.isArray(line.values) ? line.values : []).map((value) =>
      Number.isFinite(value) ? (value as number) : null,
    ),
  }));
  if (labels.length === 0 || lines.length === 0) return undefined;
  return {
    title: text(title) ?? '',
    kind: kind === 'line' ? 'line' : 'bar',
    unit: text(unit),
    labels,
    series: lines,
    note: text(source),
  };
}

const figures = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });

/** The last cell of a row has its citations. Numbers of data and names of sources are written for the reader. */
function tableIn(table: unknown, sourceNames: ReadonlySet<string>): ShownTable | undefined {
  if (typeof table !== 'object' || table === null) return undefined;
  const { columns, header, rows } = table as JsonObject;
  const heads = strings(columns ?? header);
  const shownRows = (Array.isArray(rows) ? rows : []).flatMap((row) => {
    const { cells, citations, value, unconfirmed } = Array.isArray(row) ? { cells: row } : ((row ?? {}) as JsonObject);
    const mark = text(unconfirmed) ? ' (not confirmed)' : '';
    if (!Array.isArray(cells)) return [];
    const cited = [...new Set((Array.isArray(citations) ? citations : []).flatMap(numbers))];
    const readable = (cell: string) =>
      typeof value === 'number' && cell === String(value)
        ? figures.format(value)
        : sourceNames.has(cell)
          ? labelOf(cell)
          : cell;
    return [
      cells.map((cell, at) => ({
        text: `${readable(String(cell ?? ''))}${at === cells.length - 1 ? mark : ''}`,
        citations: at === cells.length - 1 ? cited : [],
      })),
    ];
  });
  return heads.length === 0 ? undefined : { columns: heads, rows: shownRows };
}

function sourceIn(
  { document, title, address, published_at, sample_data, snapshot }: JsonObject,
  index: number,
): ShownSource {
  const [, taskId, source] = /\/tasks\/(\w[\w-]*)\/results\/sources\/(\d+)$/.exec(text(snapshot) ?? '') ?? [];
  const url = text(address) === undefined ? null : URL.parse(String(address));
  return {
    number: typeof document === 'number' ? document : index + 1,
    title: text(title) ?? text(address) ?? 'Without a title',
    address: url && /^https?:$/.test(url.protocol) ? url.href : undefined,
    date: text(published_at),
    isSample: sample_data === true,
    snapshot: taskId ? { taskId, source: Number(source) } : undefined,
  };
}

const MAX_ROWS = 50;
const idOf = (number: number): string => `source-${number}`;

/** Shows the text behind a source. */
type ShowText = (snapshot: KeptSource) => ComponentChildren;

type ReportProps = { report: Research; keptText: ShowText; downloads: ComponentChildren };

export function Report({ report, keptText, downloads }: ReportProps) {
  const { notes, isNothingFound, sections, sources } = report;
  return (
    <article class="card report" aria-label="Report">
      {downloads}
      {notes.map((note) => (
        <p key={note} class="notice small">
          {note}
        </p>
      ))}
      {isNothingFound && <p>Nothing was found that answers the question.</p>}
      {sections.map((section, index) => (
        <ReportSection key={index} section={section} sources={sources} keptText={keptText} />
      ))}
      {sources.length > 0 && !sections.some(({ documents }) => documents.length > 0) && (
        <section>
          <h2>Sources</h2>
          <Sources sources={sources} keptText={keptText} />
        </section>
      )}
    </article>
  );
}

type SectionProps = { section: ShownSection; sources: ShownSource[]; keptText: ShowText };

const ReportSection = ({ section, sources, keptText }: SectionProps) => (
  <section>
    <h2>{section.title}</h2>
    {section.note && <p class="muted">{section.note}</p>}
    {section.paragraphs.length > 0 && (
      <ul class="said">
        <More entries={section.paragraphs} max={MAX_ROWS}>
          {(paragraph, index) => <Paragraph key={index} paragraph={paragraph} />}
        </More>
      </ul>
    )}
    {section.charts.map((chart) => (
      <Chart key={chart.title} chart={chart} />
    ))}
    {section.table && <DataTable table={section.table} />}
    {section.documents.length > 0 && (
      <Sources sources={sources.filter(({ number }) => section.documents.includes(number))} keptText={keptText} />
    )}
  </section>
);

const Paragraph = ({ paragraph: { sentences, citations } }: { paragraph: ShownParagraph }) => (
  <li>
    {sentences.map(({ text, mark, reason }, at) => (
      <span key={at}>
        {at > 0 && ' '}
        {text}
        {mark && (
          <small class="muted" title={reason}>
            {' '}
            ({mark})
          </small>
        )}
      </span>
    ))}
    <Citations numbers={citations} />
  </li>
);

const Citations = ({ numbers }: { numbers: number[] }) => (
  <>
    {numbers.map((number) => (
      <button
        key={number}
        type="button"
        class="cite"
        aria-label={`Source ${number}`}
        onClick={() => showSource(number)}
      >
        {number}
      </button>
    ))}
  </>
);

/** In the console the URL's fragment names pages, so a citation is a button, not a link. */
function showSource(number: number): void {
  const source = document.getElementById(idOf(number));
  source?.scrollIntoView({ block: 'center' });
  source?.focus({ preventScroll: true });
}

const Sources = ({ sources, keptText }: { sources: ShownSource[]; keptText: ShowText }) => (
  <ol class="sources">
    {sources.map(({ number, title, address, date, isSample, snapshot }) => (
      <li key={number} id={idOf(number)} value={number} tabIndex={-1}>
        {address && !isSample ? (
          <a href={address} target="_blank" rel="noopener noreferrer">
            {title}
          </a>
        ) : (
          title
        )}
        <span class="muted small">
          {date && ` · ${exactTime(date).split(',')[0]}`}
          {isSample && ' · sample data'}
        </span>
        {snapshot && keptText(snapshot)}
      </li>
    ))}
  </ol>
);

const DataTable = ({ table: { columns, rows } }: { table: ShownTable }) => (
  <Scroll label="Table">
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <More entries={rows} max={MAX_ROWS} columns={columns.length}>
          {(row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>
                  {cell.text}
                  <Citations numbers={cell.citations} />
                </td>
              ))}
            </tr>
          )}
        </More>
      </tbody>
    </table>
  </Scroll>
);
