/** The second look: what it is shown, and when its answer counts. */
import { expect, it } from 'vitest';
import { secondLook } from '../../../agents/verification/second-look.ts';
import type { Statement } from '../../../agents/verification/statement-verdict.ts';
import { scriptedModel } from '../scripted-model.ts';

const RENT: Statement = {
  claim: { field: 'rent', means: 'Rent per month.', value: 1_250 },
  quotes: [{ source: 'lease.pdf, page 2', text: 'The rent is EUR 1,250 a month.', headings: ['4. Rent'] }],
};
const START: Statement = {
  claim: { field: 'start', value: '2026-03-01' },
  quotes: [{ source: 'lease.pdf, page 1', text: 'The lease begins on 1 March 2026.' }],
};
const NOW = Date.UTC(2026, 10, 29);

type Shown = { number: number; text?: string; value?: unknown; quotes: number[] };

/** Answers each call with what is said of each statement that it shows. */
async function looked(statements: Statement[], answers: ((shown: Shown) => string | undefined)[]) {
  const counts = { calls: 0, unusable: 0 };
  const calls: Shown[][] = [];
  const base = scriptedModel().model;
  const model = {
    ...base,
    doGenerate: (options: Parameters<typeof base.doGenerate>[0]) => {
      const text = options.prompt.flatMap(({ content }) =>
        typeof content === 'string' ? [] : content.flatMap((part) => ('text' in part ? part.text.split('\n') : [])),
      );
      const shown = text.filter((line) => line.startsWith('{"number"')).map((line) => JSON.parse(line) as Shown);
      const answer = answers[calls.length];
      calls.push(shown);
      const verdicts = shown.flatMap((one) => {
        const verdict = answer?.(one);
        return verdict ? [{ number: one.number, verdict, words: 'EUR 1,250', why: 'why' }] : [];
      });
      return scriptedModel({ text: JSON.stringify({ verdicts }) }).model.doGenerate(options);
    },
  };
  const verdicts = await secondLook(counts, { model, now: NOW, signal: new AbortController().signal }, statements);
  return { verdicts, calls, counts };
}

const isTrue = ({ value }: Shown): boolean => value === 1_250 || value === '2026-03-01';
const honest = (shown: Shown) => (isTrue(shown) ? 'supported' : 'contradicted');

it('asks once for all statements, one of them made false, and gives each its own verdict', async () => {
  const { verdicts, calls } = await looked([RENT, START], [honest]);
  expect(verdicts.map((one) => one?.verdict)).toEqual(['supported', 'supported']);
  expect(verdicts[0]).toEqual({ verdict: 'supported', words: 'EUR 1,250', why: 'why' });
  // These words do not stand in the quote of the second statement.
  expect(verdicts[1]).toEqual({ verdict: 'supported', why: 'why' });
  expect(calls).toHaveLength(1);
  expect(calls[0]).toHaveLength(3);
  expect(calls[0]?.filter((one) => !isTrue(one))).toHaveLength(1);
});

it('asks again with another statement where the false one was agreed to, and takes that answer', async () => {
  const { verdicts, calls } = await looked([RENT, START], [() => 'supported', honest]);
  expect(verdicts.map((one) => one?.verdict)).toEqual(['supported', 'supported']);
  expect(calls).toHaveLength(2);
  expect(calls[0]?.findIndex((one) => !isTrue(one))).not.toBe(calls[1]?.findIndex((one) => !isTrue(one)));
});

it('takes nothing from one who agrees with everything', async () => {
  const { verdicts, calls } = await looked([RENT, START], [() => 'supported', () => 'supported']);
  expect(verdicts).toEqual([undefined, undefined]);
  expect(calls).toHaveLength(2);
});

it('has a false statement also where no value can be changed', async () => {
  const flag: Statement = { claim: { field: 'pets', value: true }, quotes: RENT.quotes };
  const { verdicts, calls } = await looked([flag], [({ text }) => (text ? 'not_stated' : 'supported')]);
  expect(verdicts.map((one) => one?.verdict)).toEqual(['supported']);
  expect(calls[0]?.flatMap(({ text }) => text ?? [])).toEqual([expect.stringMatching(/reference number \d{6}/)]);
});

it('shows a quote of several statements once', async () => {
  const other: Statement = { ...RENT, claim: { field: 'currency', value: 'EUR' } };
  const { calls } = await looked([RENT, other], [honest]);
  expect(calls[0]?.flatMap(({ quotes }) => quotes)).toEqual([1, 1, 1]);
});

it('has no verdict on a statement that the answer leaves out, or where no answer is usable', async () => {
  const { verdicts } = await looked([RENT, START], [(one) => (one.value === 1_250 ? 'supported' : undefined)]);
  expect(verdicts.map((one) => one?.verdict)).toEqual(['supported', undefined]);
  const none = await looked([RENT], [() => 'perhaps', () => 'perhaps']);
  expect(none.verdicts).toEqual([undefined]);
  expect(none.counts.unusable).toBe(1);
});

it('asks in groups where there are many statements', async () => {
  const many = Array.from(
    { length: 130 },
    (_, at): Statement => ({ ...RENT, claim: { field: `f${at}`, value: 1_250 } }),
  );
  const { verdicts, calls } = await looked(many, [honest, honest, honest]);
  expect(verdicts.every((one) => one?.verdict === 'supported')).toBe(true);
  expect(calls.map(({ length }) => length)).toEqual([101, 31]);
});

it('changes a figure of a text where it has one', async () => {
  const summary: Statement = {
    claim: { field: 'summary', value: 'The lease of 1,250 began in 2026.' },
    quotes: RENT.quotes,
  };
  const { calls } = await looked([summary], [() => 'supported', () => 'supported']);
  const shown = calls[0]?.map(({ value }) => value);
  expect(shown).toHaveLength(2);
  expect(shown).toContain(summary.claim && 'value' in summary.claim ? summary.claim.value : '');
  expect(shown?.find((value) => value !== 'The lease of 1,250 began in 2026.')).toMatch(
    /^The lease of 1,250 began in \d{4}\.$/,
  );
});

it('is told what the statements are meant to be about, first of all', async () => {
  const counts = { calls: 0, unusable: 0 };
  const { model, given } = scriptedModel({ text: '{"verdicts":[]}' });
  await secondLook(counts, { model, now: NOW, signal: new AbortController().signal, about: 'The rent of Alba' }, [
    RENT,
  ]);
  expect(given[0]?.prompt[1]?.content).toEqual([{ type: 'text', text: 'About:\n{"about":"The rent of Alba"}' }]);
});
