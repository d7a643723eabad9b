/** The scripted model of workloads looks a second time as a reader would: what stands in the quotes, and nothing else. */
import { expect, it } from 'vitest';
import { secondLook } from '../../agents/verification/second-look.ts';
import type { Statement } from '../../agents/verification/statement.ts';
import { promptOf } from '../agents/scripted-look.ts';
import { scriptedModel } from '../agents/scripted-model.ts';
import { isSecondLook, workloadVerdicts } from './workload-verdicts.ts';

const model = {
  ...scriptedModel().model,
  doGenerate(options: Parameters<ReturnType<typeof scriptedModel>['model']['doGenerate']>[0]) {
    const prompt = promptOf(options);
    const request = prompt.slice(prompt.indexOf('Quotes:\n'));
    expect(isSecondLook(request)).toBe(true);
    return scriptedModel({ text: JSON.stringify(workloadVerdicts(request)) }).model.doGenerate(options);
  },
};

const quotes = [{ source: 'a.txt, page 1', text: 'The fare of the Alba is EUR 1,240.50 since 3 May 2026.' }];
const ofField = (value: string | number): Statement => ({ claim: { field: 'a', value }, quotes });
const ofText = (text: string): Statement => ({ claim: { text }, quotes });

it.each<[string, Statement, string]>([
  ['a number', ofField(1240.5), 'supported'],
  ['a text', ofField('the alba'), 'supported'],
  ['a sentence with the figures of its quote', ofText('Since 2026 it costs 1240.5 euros.'), 'supported'],
  ['another number', ofField(1240.6), 'contradicted'],
  ['another text', ofField('Beta'), 'contradicted'],
  ['a sentence with other figures', ofText('It costs 99 euros.'), 'contradicted'],
])('answers %s, and sees through the statement that code made false', async (_, statement, verdict) => {
  const counts = { calls: 0, unusable: 0 };
  const look = { model, now: 0, signal: new AbortController().signal };
  // Agreeing to the false statement would cost a second call, and count for nothing.
  expect(await secondLook(counts, look, [statement])).toMatchObject([{ verdict }]);
  expect(counts.calls).toBe(1);
});
