/** Boxed forms as PDFs, drawn here in eight layouts. */
import { describe, expect, it } from 'vitest';
import { applyToDocument } from '../../../agents/records/matching/named-rules.ts';
import { pdfPages } from '../../engines/documents/file-builders.ts';
import { openReader } from '../../engines/documents/setup.ts';

const documents = openReader();

const text = (x: number, y: number, words: string, size = 10): string =>
  `BT /F ${size} Tf ${x} ${y} Td (${words.replaceAll(/[()\\]/g, '\\$&')}) Tj ET\n`;
const box = (x: number, y: number, width: number, height: number): string => `${x} ${y} ${width} ${height} re S\n`;
const rule = (x: number, y: number, width: number): string => `${x} ${y} m ${x + width} ${y} l S\n`;

type Field = [label: string, value: string];
const PERSON: Field[] = [
  ['Surname', 'Lindqvist'],
  ['First name', 'Marta Elin'],
  ['Date of birth', '14 March 1988'],
  ['Nationality', 'Swedish'],
  ['Street and number', 'Hamngatan 12'],
  ['Postal code', '411 06'],
  ['Town', 'Gothenburg'],
  ['Telephone', '+46 31 555 0142'],
];
const FREIGHT: Field[] = [
  ['Shipper', 'Norrland Timber AB'],
  ['Consignee', 'Baltic Joinery OU'],
  ['Port of loading', 'Umea'],
  ['Port of discharge', 'Tallinn'],
  ['Vessel', 'MS Kattegat'],
  ['Voyage', '118 E'],
  ['Weight', '14,200 kg'],
  ['Booking number', 'BK-77120'],
];
const CLAIM: Field[] = [
  ['Policy number', 'P-4471-09'],
  ['Account holder', 'Jonas Weber'],
  ['Date', '3 May 2026'],
  ['Place', 'Freiburg'],
  ['Amount', '1,480.00'],
  ['Currency', 'EUR'],
  ['Purpose', 'Broken window'],
  ['Remarks', 'none'],
];
const GERMAN: Field[] = [
  ['Name', 'Bergmann'],
  ['Vorname', 'Anna'],
  ['Geburtsdatum', '09.05.1991'],
  ['Geschlecht', 'weiblich'],
  ['Anschrift', 'Am Muehlbach 2'],
  ['PLZ', '87561'],
  ['Wohnort', 'Oberstdorf'],
  ['Telefon', '08322 555 019'],
];

/** The fields in two columns, drawn by `draw` from the lower left corner of each place. */
const inGrid = (fields: Field[], draw: (field: Field, x: number, y: number) => string): string =>
  fields.map((field, at) => draw(field, 60 + 240 * (at % 2), 640 - 50 * Math.floor(at / 2))).join('');

const FORMS: [layout: string, fields: Field[], content: string][] = [
  [
    'small labels above the values in boxes',
    PERSON,
    inGrid(
      PERSON,
      ([label, value], x, y) => box(x, y, 240, 40) + text(x + 4, y + 30, label, 6) + text(x + 4, y + 10, value),
    ),
  ],
  [
    'a hint in brackets behind the label in the box',
    FREIGHT,
    inGrid(
      FREIGHT,
      ([label, value], x, y) =>
        box(x, y, 240, 40) + text(x + 4, y + 29, `${label} (in full)`, 7) + text(x + 4, y + 10, value),
    ),
  ],
  [
    'labels above boxes',
    CLAIM,
    inGrid(
      CLAIM,
      ([label, value], x, y) => text(x, y + 29, label, 8) + box(x, y + 4, 220, 22) + text(x + 4, y + 11, value),
    ),
  ],
  [
    'labels left of boxes',
    PERSON,
    PERSON.map(
      ([label, value], at) =>
        text(60, 647 - 34 * at, label) + box(200, 640 - 34 * at, 260, 24) + text(206, 647 - 34 * at, value),
    ).join(''),
  ],
  [
    'a grid of labels and values by turns',
    GERMAN,
    inGrid(
      GERMAN,
      ([label, value], x, y) =>
        box(x, y, 100, 50) + box(x + 100, y, 140, 50) + text(x + 4, y + 20, label, 9) + text(x + 104, y + 20, value, 9),
    ),
  ],
  [
    'comb fields, a letter in each',
    PERSON,
    PERSON.map(([label, value], at) => {
      const y = 660 - 40 * at;
      const letters = Array.from(value).map(
        (letter, n) => box(60 + 16 * n, y, 16, 18) + text(65 + 16 * n, y + 5, letter),
      );
      return text(60, y + 22, label, 7) + letters.join('');
    }).join(''),
  ],
  [
    'labels before dotted lines',
    FREIGHT,
    FREIGHT.map(
      ([label, value], at) => text(60, 660 - 26 * at, `${label}: ${'.'.repeat(4)}`) + text(170, 660 - 26 * at, value),
    ).join(''),
  ],
  [
    'labels under the lines that values are written on',
    CLAIM,
    inGrid(CLAIM, ([label, value], x, y) => text(x, y + 22, value) + rule(x, y + 18, 200) + text(x, y + 9, label, 7)),
  ],
];

describe('the pairs of a form', () => {
  it.each(FORMS)('with %s', async (_, fields, content) => {
    const { parts } = await documents.read({ bytes: pdfPages([text(60, 740, 'Form', 16) + content]), name: 'a.pdf' });
    const found = await applyToDocument({ parts }, ['key_value_pairs']);
    const wanted = fields.map(([label, value]) => `${label} = ${value}`);
    const values = found.map(({ value }) => value);
    expect(values.toSorted()).toEqual(wanted.toSorted());
  });

  it('with check boxes has what is marked', async () => {
    const option = (x: number, y: number, words: string, isMarked: boolean) =>
      box(x, y, 9, 9) + (isMarked ? text(x + 1.5, y + 1, 'X', 9) : '') + text(x + 14, y + 1, words);
    const row = (y: number, label: string, marked: number, ...options: string[]) =>
      text(60, y, label) + options.map((words, at) => option(200 + 100 * at, y, words, at === marked)).join('');
    const content =
      row(640, 'Marital status', 1, 'single', 'married', 'widowed') + row(610, 'Sex', 0, 'female', 'male');
    const { parts } = await documents.read({ bytes: pdfPages([content]), name: 'a.pdf' });
    const found = await applyToDocument({ parts }, ['key_value_pairs']);
    expect(found.map(({ value }) => value)).toEqual(['Marital status = married', 'Sex = female']);
  });
});
