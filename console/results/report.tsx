/** A research report: sections, citations with links to sources, tables and charts. */
import { exactTime } from '../format.ts';
import { Scroll } from '../ui/parts.tsx';
import { More } from './any-result.tsx';
import { Chart } from './chart.tsx';
import type { Research, ShownParagraph, ShownSection, ShownSource, ShownTable } from './research.ts';

const MAX_ROWS = 50;
const idOf = (number: number): string => `source-${number}`;

export function Report({ report: { query, notes, sections, sources } }: { report: Research }) {
  return (
    <article class="card report">
      {query && <h2>{query}</h2>}
      {notes.map((note) => (
        <p key={note} class="notice small">
          {note}
        </p>
      ))}
      {sections.map((section, index) => (
        <ReportSection key={index} section={section} sources={sources} />
      ))}
      {sources.length > 0 && !sections.some(({ documents }) => documents.length > 0) && (
        <section>
          <h3>Sources</h3>
          <Sources sources={sources} />
        </section>
      )}
    </article>
  );
}

const ReportSection = ({ section, sources }: { section: ShownSection; sources: ShownSource[] }) => (
  <section>
    <h3>{section.title}</h3>
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
      <Sources sources={sources.filter(({ number }) => section.documents.includes(number))} />
    )}
  </section>
);

const Paragraph = ({ paragraph: { text, citations } }: { paragraph: ShownParagraph }) => (
  <li>
    {text}
    {citations.map((number) => (
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
  </li>
);

/** The fragment of the URL names pages here, so a citation is not a link. */
function showSource(number: number): void {
  const source = document.getElementById(idOf(number));
  source?.scrollIntoView({ block: 'center' });
  source?.focus({ preventScroll: true });
}

const Sources = ({ sources }: { sources: ShownSource[] }) => (
  <ol class="sources">
    {sources.map(({ number, title, address, date, isSample }) => (
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
                <td key={at}>{cell}</td>
              ))}
            </tr>
          )}
        </More>
      </tbody>
    </table>
  </Scroll>
);
