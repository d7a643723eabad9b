/** Shows results that have no page of their own. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count, words } from '../format.ts';
import { Letters, Scroll } from '../ui/parts.tsx';

type Props<T> = {
  entries: readonly T[];
  max: number;
  /** The number of columns, if the entries are table rows. */
  columns?: number;
  children: (entry: T, index: number) => ComponentChildren;
};

/** The first entries of a long list, and more on request, so that no result is too large for the page. */
export function More<T>({ entries, max, columns, children }: Props<T>) {
  const [shownCount, setShown] = useState(max);
  const remaining = entries.length - shownCount;
  const more = remaining > 0 && (
    <button type="button" class="button quiet" onClick={() => setShown(shownCount + max)}>
      Show {count(Math.min(remaining, max))} more of {count(remaining)}
    </button>
  );
  return (
    <>
      {entries.slice(0, shownCount).map((entry, index) => children(entry, index))}
      {more && (columns === undefined ? <li class="more">{more}</li> : <MoreRow columns={columns}>{more}</MoreRow>)}
    </>
  );
}

const MoreRow = ({ columns, children }: { columns: number; children: ComponentChildren }) => (
  <tr>
    <td colSpan={columns}>{children}</td>
  </tr>
);

const MAX_ROWS = 25;
const MAX_DEPTH = 5;
const MAX_COLUMNS = 8;

type ResultObject = Record<string, unknown>;

const isObject = (value: unknown): value is ResultObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isPlain = (value: unknown): boolean => !isObject(value) && !(Array.isArray(value) && value.some(isObject));
export const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** Any result as names and values: lists of similar objects as tables, everything else as a list. */
export function ResultView({ data, depth = 0 }: { data: ResultObject; depth?: number }) {
  const entries = Object.entries(data).filter(([, value]) => !isEmpty(value));
  const plain = entries.filter(([, value]) => isPlain(value));
  const deep = entries.filter(([, value]) => !isPlain(value));
  return (
    <div class="data">
      {plain.length > 0 && (
        <dl class="facts">
          {plain.map(([name, value]) => (
            <div key={name}>
              <dt>{words(name)}</dt>
              <dd>{displayText(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {deep.map(([name, value]) => (
        <section key={name}>
          <h3>{words(name)}</h3>
          <Deep value={value} depth={depth + 1} />
        </section>
      ))}
    </div>
  );
}

function Deep({ value, depth }: { value: unknown; depth: number }): ComponentChildren {
  if (depth > MAX_DEPTH) return <Letters label="Value" text={JSON.stringify(value, null, 2).slice(0, 10_000)} />;
  if (isObject(value)) return <ResultView data={value} depth={depth} />;
  const entries = (value as unknown[]).map((entry) => (isObject(entry) ? entry : { value: entry }));
  const columns = [...new Set(entries.slice(0, MAX_ROWS).flatMap((entry) => Object.keys(entry)))].filter((name) =>
    entries.some((entry) => !isEmpty(entry[name])),
  );
  const isTable = columns.length <= MAX_COLUMNS && entries.every((entry) => Object.values(entry).every(isPlain));
  return isTable ? <Rows columns={columns} entries={entries} /> : <Each entries={entries} depth={depth} />;
}

const Rows = ({ columns, entries }: { columns: string[]; entries: ResultObject[] }) => (
  <Scroll label="Table">
    <table>
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={name} scope="col">
              {words(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <More entries={entries} max={MAX_ROWS} columns={columns.length}>
          {(entry, index) => (
            <tr key={index}>
              {columns.map((name) => (
                <td key={name}>{displayText(entry[name])}</td>
              ))}
            </tr>
          )}
        </More>
      </tbody>
    </table>
  </Scroll>
);

const Each = ({ entries, depth }: { entries: ResultObject[]; depth: number }) => (
  <ul class="each">
    <More entries={entries} max={MAX_ROWS}>
      {(entry, index) => (
        <li key={index}>
          <ResultView data={entry} depth={depth} />
        </li>
      )}
    </More>
  </ul>
);

function displayText(value: unknown): string {
  if (isEmpty(value)) return '—';
  if (typeof value === 'number') return count(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.map(displayText).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
