/** Whether a value agrees with the excerpt that a model cites for it, as far as code can tell. */
import { expect, it } from 'vitest';
import { valueAgreement } from '../../../agents/processing/rules/value-agreement.ts';

const agreementOf = (value: string, excerpt: string) => valueAgreement({ value, excerpt });

it.each([
  ['£18,000', 'a deposit of £18,000 is due'],
  ['Ann  LEE', 'Tenant: Ann Lee.'],
  ['20', 'not 120 or 2.20, but 20'],
  ['5億円', '売上高は5億円です'],
  ['“Sea Lark”', 'the ship "Sea Lark" of Hull'],
  ['£84,600', 'The yearly rent is\n£84,600'],
])('stands where %s is in the words %s', (value, excerpt) => {
  expect(agreementOf(value, excerpt)).toBe('stands');
});

it.each([
  ['£20,000', 'deposit of £18,000'],
  ['GBP 20,000', 'deposit of £18,000'],
  ['4 %', 'fees rise by 6 %'],
])('contradicts where %s is beside %s alone', (value, excerpt) => {
  expect(agreementOf(value, excerpt)).toBe('contradicts');
});

it.each([
  ['a paraphrase', 'nobody', 'No member of the crew may leave early.'],
  ['a part of a number', '18', 'deposit of £18,000'],
  ['a part of a word', 'art', 'the start of the lease'],
  ['a number without its scale', '1.2', 'the fare amounts to 1.2 million euros'],
  ['a number without its sign', '5', 'a refund of -5'],
  ['a number without its per cent', '6', 'fees rise by 6 %'],
  ['a rounded amount', '£1.2 million', 'a price of £1,214,000'],
  ['an amount in thousands', '£18,000,000', 'turnover (in thousands) £18,000'],
  ['a sum of two amounts', '£20,000', '£18,000 at first and £2,000 later'],
  ['another currency', 'EUR 20,700', 'deposit of £18,000'],
  ['a number in words', '18 months', 'eighteen months from 1 May 2026'],
  ['nothing', ' ', 'deposit of £18,000'],
])('leaves %s to a reader', (_, value, excerpt) => {
  expect(agreementOf(value, excerpt)).toBe('doubt');
});
