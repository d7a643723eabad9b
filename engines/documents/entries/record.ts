/** An entry out of a record of fields, as its connector maps them. */
import type { Figure } from '../../../shared/sources/gathered.ts';
import type { Connector } from '../../../shared/sources/source.ts';
import type { ReaderInput } from '../read-document.ts';
import type { SourceEntry } from './entry.ts';
import { buildEntry } from './entry-of.ts';
import { fillTemplate, hasValue, type RecordLookup } from './fill.ts';

type RecordMapping = Pick<Extract<Connector, { kind: 'json' | 'csv' }>, 'fields' | 'figures'>;

export function entryFromRecord(
  mapping: RecordMapping,
  at: RecordLookup,
  o: { base: string; reading: ReaderInput },
): SourceEntry | undefined {
  const { title, text, published, address } = mapping.fields;
  const figures = mapping.figures.flatMap((figure) => figureIn(figure, at) ?? []);
  // A record that has nothing of what it was said to have is none.
  if (figures.length === 0 && ![title, text].some((one) => one !== undefined && hasValue(one, at))) return undefined;
  const found = {
    title: fillTemplate(title, at),
    text: text === undefined ? '' : fillTemplate(text, at),
    published: published && fillTemplate(published, at),
    link: address && hasValue(address, at) ? fillTemplate(address, at) : undefined,
    figures,
  };
  return buildEntry(found, o.base, o.reading);
}

const MAX_LABEL = 200;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;
/** 1,234,567.8 */
const GROUPED = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

function figureIn({ label, value, unit }: RecordMapping['figures'][number], at: RecordLookup): Figure | undefined {
  const text = fillTemplate(value, at).trim();
  const number = Number(NUMBER.test(text) ? text : GROUPED.test(text) ? text.replaceAll(',', '') : Number.NaN);
  const name = fillTemplate(label, at).trim().slice(0, MAX_LABEL);
  if (!Number.isFinite(number) || name === '') return undefined;
  return { label: name, value: number, ...(unit === undefined ? {} : { unit }) };
}
