/** The phrases of the label files, as patterns. */
import { expect, it } from 'vitest';
import { phrasesIn } from '../../../agents/values/phrases.ts';

const LISTS = { words: { tax: ['vat', 'sales tax'] }, patterns: { total: '[t7]otal', count: '\\d{1,2}' } };
const matches = (phrase: string, text: string) => phrasesIn([phrase], LISTS).exec(text)?.[0];

it.each([
  ['gross|net weight', 'Net weight: 5', 'Net weight'],
  ['date of [the] invoice', 'Date of invoice', 'Date of invoice'],
  ['date of [the] invoice', 'Date of the invoice', 'Date of the invoice'],
  ['[tax|vat] invoice', 'VAT invoice', 'VAT invoice'],
  ['[tax|vat] invoice', 'Invoice', 'Invoice'],
  ['{total} [no of] items', '7otal no of items', '7otal no of items'],
  ['expir*', 'expires', 'expires'],
  ['*steuer', 'Umsatzsteuer', 'Umsatzsteuer'],
  ['{total} {count} *', 'total 12 goods', 'total 12 goods'],
  ['sub{total}', 'Subtotal', 'Subtotal'],
  ['{tax} paid', 'sales tax paid', 'sales tax paid'],
  ['{total} ... before {tax}', 'total before VAT', 'total before VAT'],
  ['{total} ... before {tax}', 'total of all items before VAT', 'total of all items before VAT'],
  ['fällig*', 'Faellig bis', 'Faellig'],
  ['fällig*', 'Fallig', 'Fallig'],
  ["jusqu'au", 'jusqu’au 3 mai', 'jusqu’au'],
])('%j matches in %j', (phrase, text, wanted) => expect(matches(phrase, text)).toBe(wanted));

it.each([
  ['due', 'residue'],
  ['due', 'dues'],
  ['expir*', 'exp date'],
  ['gross|net weight', 'gross amount'],
  ['{total} {count} *', 'total 123 goods'],
  ['#', '4'],
  ['{total} ... before {tax}', `total ${'of many words '.repeat(3)}before VAT`],
  ['a.c', 'abc'],
])('%j does not match in %j', (phrase, text) => expect(matches(phrase, text)).toBeUndefined());
