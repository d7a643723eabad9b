import { expect, it } from 'vitest';
import { type DeliveredField, scoreField, textsIn } from './score.ts';

const delivered = (
  path: string,
  value: DeliveredField['value'],
  more: Partial<DeliveredField> = {},
): DeliveredField => ({
  path,
  status: value === null ? 'missing' : 'judged',
  value,
  reason: 'a reason',
  candidates: [],
  ...more,
});

const outcomeOf = (expected: Parameters<typeof scoreField>[1], ...fields: DeliveredField[]) =>
  scoreField('rent', expected, fields).outcome;

it('a value that says the same is right, in whatever case and spacing', () => {
  expect(outcomeOf(88_200, delivered('rent', 88_200))).toBe('right');
  expect(outcomeOf('Bergmann & Fils Optics GmbH', delivered('rent', 'bergmann & fils  optics GmbH.'))).toBe('right');
  expect(outcomeOf(false, delivered('rent', false))).toBe('right');
});

it('another value is wrong, and a figure as a text is not the figure', () => {
  expect(outcomeOf(88_200, delivered('rent', 84_600))).toBe('wrong');
  expect(outcomeOf(false, delivered('rent', true))).toBe('wrong');
  expect(outcomeOf(88_200, delivered('rent', '88,200'))).toBe('wrong');
});

it('no value is missing, unless the right one is among the candidates', () => {
  expect(outcomeOf(88_200, delivered('rent', null))).toBe('missing');
  expect(outcomeOf(88_200)).toBe('missing');
  expect(outcomeOf(88_200, delivered('rent', null, { candidates: [{ value: 88_200 }] }))).toBe('marked');
});

it('a value where the document has none is wrong', () => {
  expect(outcomeOf(null, delivered('rent', null))).toBe('right');
  expect(outcomeOf(null, delivered('rent', 1))).toBe('wrong');
});

it('a list is right with all of its entries in any order, and with no other', () => {
  const [a, b] = [delivered('rent.0', 'Tallfors'), delivered('rent.1', 'Ostrava')];
  expect(outcomeOf(['Ostrava', 'Tallfors'], a, b)).toBe('right');
  expect(outcomeOf(['Ostrava'], a, b)).toBe('wrong');
});

it('finds the texts of an answer, however its figures are grouped', () => {
  expect(textsIn('Revenue was 48 312 thousand euros.', ['48,312', 'Aue'])).toEqual([
    { text: '48,312', isThere: true },
    { text: 'Aue', isThere: false },
  ]);
});
