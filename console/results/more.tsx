/** The first entries of many; more when they are asked for, so that no result is too large for the page. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { count } from '../format.ts';

type Props<T> = {
  entries: readonly T[];
  most: number;
  /** Of the table they are rows of. */
  columns?: number;
  children: (entry: T, index: number) => ComponentChildren;
};

export function More<T>({ entries, most, columns, children }: Props<T>) {
  const [shown, setShown] = useState(most);
  const left = entries.length - shown;
  const more = left > 0 && (
    <button type="button" class="button quiet" onClick={() => setShown(shown + most)}>
      Show {count(Math.min(left, most))} more of {count(left)}
    </button>
  );
  return (
    <>
      {entries.slice(0, shown).map((entry, index) => children(entry, index))}
      {more && (columns === undefined ? <li class="more">{more}</li> : <MoreRow columns={columns}>{more}</MoreRow>)}
    </>
  );
}

const MoreRow = ({ columns, children }: { columns: number; children: ComponentChildren }) => (
  <tr>
    <td colSpan={columns}>{children}</td>
  </tr>
);
