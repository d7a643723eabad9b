/** Which queries a question makes without a model. */

import { describe, expect, it } from 'vitest';
import { queriesFor } from '../../../agents/research/plan-stage.ts';
import { requestOf } from '../../../agents/research/research-request.ts';
import { expectWithin } from '../../support/expect-time.ts';
import { processorMs } from '../../support/machine-speed.ts';

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
