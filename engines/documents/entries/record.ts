/** An entry out of a record of fields, as its connector maps them. */
import type { Figure } from '../../../shared/sources/gathered.ts';
import type { Connector } from '../../../shared/sources/source.ts';
import type { Reading } from '../read-document.ts';
import type { Entry } from './entry.ts';
import { entryOf } from './entry-of.ts';
import { fill, isFilled, type Lookup } from './fill.ts';

type Mapped = Pick<Extract<Connector, { kind: 'json' | 'csv' }>, 'fields' | 'figures'>;

export function recordEntry(mapped: Mapped, at: Lookup, o: { base: string; reading: Reading }): Entry | undefined {
  const { title, text, published, address } = mapped.fields;
  const figures = mapped.figures.flatMap((figure) => figureIn(figure, at) ?? []);
  // A record that has nothing of what it was said to have is none.
  if (figures.length === 0 && ![title, text].some((one) => one !== undefined && isFilled(one, at))) return undefined;
  const found = {
    title: fill(title, at),
    text: text === undefined ? '' : fill(text, at),
    published: published && fill(published, at),
    link: address && isFilled(address, at) ? fill(address, at) : undefined,
    figures,
  };
  return entryOf(found, o.base, o.reading);
}

const MOST_LABEL = 200;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
/** 1,234,567.8 */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

function figureIn({ label, value, unit }: Mapped['figures'][number], at: Lookup): Figure | undefined {
  const text = fill(value, at).trim();
  const number = Number(NUMBER.test(text) ? text : GROUPED.test(text) ? text.replaceAll(',', '') : Number.NaN);
  const name = fill(label, at).trim().slice(0, MOST_LABEL);
  if (!Number.isFinite(number) || name === '') return undefined;
  return { label: name, value: number, ...(unit === undefined ? {} : { unit }) };
}
