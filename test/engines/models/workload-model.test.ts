/** The scripted model of workloads writes what was found, and looks a second time as a reader would: at what stands in the quotes. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { secondLook } from '../../../agents/verification/second-look.ts';
import type { Statement } from '../../../agents/verification/statement-verdict.ts';
import { itemsOf, openResearch } from '../../agents/research/setup.ts';
import { promptOf } from '../../agents/scripted-look.ts';
import { scriptedModel } from '../../agents/scripted-model.ts';
import { filledSchema } from './fill-schema.ts';
import { isReport, workloadReport } from './workload-report.ts';
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

it('writes each section that is wished, and all of it is confirmed', async () => {
  const text = 'The fare of the Alba is EUR 1,240.50 since 3 May 2026.';
  const items = itemsOf('news', [{ title: 'Fares', text }]);
  let calls = 0;
  const workload = {
    ...model,
    doGenerate(options: LanguageModelV4CallOptions) {
      calls++;
      const request = promptOf({ ...options, prompt: options.prompt.slice(1) });
      const schema = options.responseFormat?.type === 'json' ? (options.responseFormat.schema as object) : {};
      const answer = isSecondLook(request)
        ? workloadVerdicts(request)
        : isReport(request)
          ? workloadReport(request)
          : filledSchema(schema, request);
      return scriptedModel({ text: JSON.stringify(answer) }).model.doGenerate(options);
    },
  };
  const at = openResearch({ news: { items } }, workload);
  const { results } = await at.run({ query: 'What does the Alba cost?' });
  at.close();
  const written = results.deliverables.filter(({ paragraphs }) => paragraphs.length > 0);
  expect(written.map(({ deliverable }) => deliverable)).toEqual(['executive_summary', 'key_findings', 'trends']);
  const sentences = written.flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.sentences));
  expect(new Set(sentences.map(({ text: said, checked_by: by }) => `${said} ${by}`))).toEqual(
    new Set([`${text} model`]),
  );
  // A plan, a reading, a report and a second look.
  expect(calls).toBe(4);
});
