/** Whether a quote stands in a text, when two texts are the same, and which queries a question makes. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fingerprintOf, isNearDuplicate } from '../../agents/repeated-figures.ts';
import { quotable } from '../../agents/research/findings.ts';
import { queriesFor } from '../../agents/research/plan-stage.ts';

import { requestOf } from '../../agents/research/state.ts';
import { expectWithin } from '../expect-time.ts';
import { processorMs } from '../machine-speed.ts';

const TEXT = 'The *port* fee fell by -3.5 % to €4,120 — “a record”, said\nIda Brandt. It had been $4,270 (2025).';

describe('a quote', () => {
  it.each([
    ['The port fee fell by -3.5 % to €4,120', 'The *port* fee fell by -3.5 % to €4,120'],
    ['to €4,120 - "a record", said Ida Brandt', 'to €4,120 — “a record”, said Ida Brandt.'],
    ['had been $4,270 (2025)', 'had been $4,270 (2025).'],
  ])('%s is found, in the words of the text', (quote, own) => {
    expect(quotable(TEXT).find(quote)).toBe(own);
  });

  it.each([
    'The port fee fell by 3.5 % to €4,120',
    'The port fee fell by -3.5 % to $4,120',
    'The port fee fell by -3.5 % to €4,12',
    'the port fee rose by -3.5 % to €4,120',
    'fee fell by',
    'It had been',
    '',
    '. . . .',
    'a record said Ida Brandt It had been lower',
  ])('%s is not', (quote) => {
    expect(quotable(TEXT).find(quote)).toBeUndefined();
  });

  it('of any words in a row is found in any text', () => {
    const word = fc.stringMatching(/^[a-zäß\d]{1,9}$/u);
    const mark = fc.constantFrom(' ', '  ', '\n', ', ', ' – ', '. ', ' "', '*');
    const texts = fc.array(fc.tuple(word, mark), { minLength: 4, maxLength: 30 });
    fc.assert(
      fc.property(texts, fc.nat(), fc.integer({ min: 4, max: 8 }), (words, start, count) => {
        const from = start % Math.max(1, words.length - count);
        const whole = words.map((pair) => pair.join('')).join('');
        const quote = words
          .slice(from, from + count)
          .map(([text]) => text)
          .join(' ');
        expect(quotable(whole).find(quote)).toBeDefined();
      }),
    );
  });
});

it('short texts are the same only when they are equal', () => {
  const print = (text: string) => fingerprintOf(text);
  expect(isNearDuplicate(print('Port fees'), print('Port fees'))).toBe(true);
  expect(isNearDuplicate(print('Port fees'), print('Port fees in Riga'))).toBe(false);
  expect(isNearDuplicate(print(''), print('Port fees rise in Riga again today'))).toBe(false);
});

describe('queries', () => {
  const of = (query: string, more: object = {}) => queriesFor(requestOf({ query, ...more }, 'openai/m'));

  it('are made of the question, its kind and its places', () => {
    const more = { research_type: 'risk_assessment', geographic_scope: ['Poland'], depth: 'comprehensive' };
    expect(of('Who pays port fees?', more)).toEqual([
      'Who pays port fees?',
      'Who pays port fees? Poland',
      'Who pays port fees? risk and uncertainty',
      'Who pays port fees? losses and disruption',
      'Who pays port fees? regulation',
      'Who pays port fees? risk and uncertainty Poland',
      'Who pays port fees? losses and disruption Poland',
      'Who pays port fees? regulation Poland',
    ]);
  });

  it('are there for every question, soon', () => {
    expect(of('What is it?')).toEqual(['What is it?']);
    expect(of('???')).toEqual(['???']);
    const all = [' and', ' ', ', ', 'A. ', '?', '\t\n', 'é̀'].map((one) => `x${one.repeat(9_000 / one.length)}y`);
    expectWithin(
      processorMs(() => all.map((one) => of(one))),
      2_000,
    );
  });
});
