/** Records in the caller's schema as tables: how each value is known, and the passage that proves it. */
import { useState } from 'preact/hooks';
import { count, words } from '../format.ts';
import { Scroll } from '../ui/parts.tsx';
import { More } from './any-result.tsx';

type JsonObject = Record<string, unknown>;

/** A sign beside the word, because some readers cannot distinguish colours. */
const MARKS = { proven: '✓', computed: '=', judged: '~', unverified: '?', missing: '–', conflict: '≠' } as const;
type Status = keyof typeof MARKS;

type ShownBasis = { document: string; place: string; quote: string; column: string | undefined };
type ShownField = {
  path: string;
  status: Status;
  value: string;
  reason: string;
  basis: ShownBasis[];
  /** Values that were not taken, the likeliest first: of a field without a value, what may be meant. */
  candidates: { value: string; reason: string; basis: ShownBasis | undefined }[];
};
/** Rows of one table: the values of documents, or the entries of an array. */
type RecordTable = {
  title: string;
  columns: string[];
  rows: { head: string; cells: (ShownField | undefined)[] }[];
};

const objects = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((entry): entry is JsonObject => typeof entry === 'object' && entry !== null) : [];
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const isStatus = (value: unknown): value is Status => typeof value === 'string' && Object.hasOwn(MARKS, value);

function valueText(value: unknown): string {
  if (typeof value === 'number') return count(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return text(value);
}

/** The tables of `records`, or of a research's `record`. Unexpected values are omitted, because results come from outside. */
export function recordTables(results: JsonObject): RecordTable[] {
  const names = new Map(
    objects(results.documents).map(({ document, name, title }) => [document, text(name) || text(title)]),
  );
  const nameOf = (document: unknown) => names.get(document) || `Document ${String(document)}`;
  const records = [...objects(results.records), ...objects([results.record])].map(({ document, fields }) => ({
    name: document === undefined ? 'All documents' : nameOf(document),
    fields: objects(fields).flatMap((field) => fieldIn(field, nameOf)),
  }));
  const tables = new Map<string, Map<string, Map<string, ShownField>>>();
  for (const { name, fields } of records)
    for (const field of fields) {
      const { table, row, column } = placeOf(field.path);
      const rows = tables.get(table) ?? new Map();
      tables.set(table, rows);
      const head = row === '' ? name : records.length > 1 ? `${name}, ${row}` : row;
      rows.set(head, (rows.get(head) ?? new Map()).set(column, field));
    }
  return [...tables].map(([title, rows]) => {
    const columns = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))];
    return {
      title: title === '' ? 'Record' : words(title.replaceAll('.', ' ')),
      columns,
      rows: [...rows].map(([head, row]) => ({ head, cells: columns.map((column) => row.get(column)) })),
    };
  });
}

/**
 * `invoices.0.lines.2.amount` belongs to the table `invoices.lines`, row 1.3, column `amount`; `lines.0.tags.1` to the
 * table `lines`, column `tags.1`. The empty path belongs to a list.
 */
function placeOf(path: string): { table: string; row: string; column: string } {
  const parts = path.split('.');
  const isNumber = (part: string) => /^\d+$/.test(part);
  const within = parts.slice(0, -1).findLastIndex(isNumber);
  const at = within === -1 ? parts.findIndex(isNumber) : within;
  if (at === -1) return { table: '', row: '', column: path || 'all records' };
  const above = parts.slice(0, at + 1);
  return {
    table: above.filter((part) => !isNumber(part)).join('.'),
    row: above.flatMap((part) => (isNumber(part) ? Number(part) + 1 : [])).join('.'),
    column: parts.slice(at + 1).join('.'),
  };
}

function fieldIn(
  { path, status, value, reason, basis, candidates }: JsonObject,
  nameOf: (document: unknown) => string,
) {
  if (typeof path !== 'string' || !isStatus(status)) return [];
  const field: ShownField = {
    path,
    status,
    value: valueText(value),
    reason: text(reason),
    basis: objects(basis).map((passage) => shownBasis(passage, nameOf)),
    candidates: objects(candidates).map((candidate) => {
      const [ownBasis] = objects([candidate.basis]);
      return {
        value: valueText(candidate.value),
        reason: text(candidate.reason),
        basis: ownBasis && shownBasis(ownBasis, nameOf),
      };
    }),
  };
  return [field];
}

const shownBasis = (
  { document, place, quote, column }: JsonObject,
  nameOf: (document: unknown) => string,
): ShownBasis => ({
  document: nameOf(document),
  place: text(place),
  quote: text(quote),
  column: text(column) || undefined,
});

const MAX_ROWS = 25;

export function Records({ tables }: { tables: readonly RecordTable[] }) {
  const [selected, select] = useState<ShownField>();
  return (
    <section class="card records">
      <h2>Records</h2>
      <p class="muted small">Point at a value, or choose it, to see the passage that it rests on.</p>
      {tables.map((table) => (
        <section key={table.title}>
          <h3>{table.title}</h3>
          <Scroll label={table.title}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{table.title === 'Record' ? 'Document' : 'Row'}</th>
                  {table.columns.map((column) => (
                    <th key={column} scope="col">
                      {words(column || 'value')}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                <More entries={table.rows} max={MAX_ROWS} columns={table.columns.length + 1}>
                  {({ head, cells }) => (
                    <tr key={head}>
                      <th scope="row">{head}</th>
                      {cells.map((field, at) => (
                        <td key={table.columns[at]}>
                          {field && <Value field={field} isShown={field === selected} onShow={() => select(field)} />}
                        </td>
                      ))}
                    </tr>
                  )}
                </More>
              </tbody>
            </table>
          </Scroll>
        </section>
      ))}
      <Evidence field={selected} />
      <p class="muted small">
        {Object.entries(MARKS)
          .map(([status, mark]) => `${mark} ${status}`)
          .join(' · ')}
      </p>
    </section>
  );
}

type ValueProps = { field: ShownField; isShown: boolean; onShow: () => void };

const Value = ({ field: { status, value }, isShown, onShow }: ValueProps) => (
  <button
    type="button"
    class={`value ${status}`}
    aria-pressed={isShown}
    aria-label={`${value || 'no value'}, ${status}`}
    onClick={onShow}
    onFocus={onShow}
    onMouseEnter={onShow}
  >
    {value || '—'}
    {'\u00a0'}
    <span aria-hidden="true">{MARKS[status]}</span>
  </button>
);

const Evidence = ({ field }: { field: ShownField | undefined }) => (
  <output class="evidence">
    {field && (
      <>
        <p>
          <strong>{words(field.path)}</strong> {field.value || '—'}, {field.status}
          {field.reason && `: ${field.reason}`}
        </p>
        {field.basis.map((basis, at) => (
          <Quote key={at} basis={basis} />
        ))}
        {field.candidates.length > 0 && <Candidates field={field} />}
      </>
    )}
  </output>
);

const placeText = ({ document, place, column }: ShownBasis): string =>
  [document, place, column && `column ${column}`].filter(Boolean).join(', ');

const Quote = ({ basis }: { basis: ShownBasis }) => (
  <blockquote>
    {basis.quote}
    <footer class="muted small">{placeText(basis)}</footer>
  </blockquote>
);

/** Where a value was taken, the others are one line; where none was, a person decides by place and reason. */
const Candidates = ({ field: { value, candidates } }: { field: ShownField }) =>
  value === '' ? (
    <>
      <p class="muted small">Not taken:</p>
      <ul>
        {candidates.map(({ value: candidateText, reason, basis }, at) => (
          <li key={at}>
            <strong>{candidateText}</strong>
            {reason && `: ${reason}`}
            {basis && (basis.quote ? <Quote basis={basis} /> : <span class="muted small"> ({placeText(basis)})</span>)}
          </li>
        ))}
      </ul>
    </>
  ) : (
    <p class="muted small">Other values: {candidates.map((candidate) => candidate.value).join(', ')}</p>
  );
