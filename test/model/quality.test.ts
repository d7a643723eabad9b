/** How often the keyless model quotes the labelled passage: on the texts beside this file, half of them never tuned on. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { evaluate, halves, type Judged, type Question } from '../golden/evaluate.ts';
import { passagesOfText } from '../golden/passages-of-text.ts';

const questions: Question[] = JSON.parse(readFileSync(join(import.meta.dirname, 'questions.json'), 'utf8'));
const { development, heldOut } = halves(questions);

const passagesOf = (document: string) =>
  passagesOfText(
    document.replace(/\.ts\.txt$/, '.ts'),
    readFileSync(join(import.meta.dirname, 'texts', document), 'utf8'),
  );

const judge = (question: Question): Judged => evaluate(question, passagesOf(question.document));
const share = (judged: Judged[], good: (one: Judged) => boolean): number => judged.filter(good).length / judged.length;

test.each([
  ['the questions it was tuned on', development],
  ['questions it was never tuned on', heldOut],
])('quotes the labelled passage for at least four out of five of %s', (_, half) => {
  const judged = half.map(judge);
  expect(half.length).toBeGreaterThanOrEqual(30);
  expect(share(judged, ({ found }) => found)).toBeGreaterThanOrEqual(0.8);
});

test('cites the location of each labelled passage that it quotes', () => {
  const quoted = questions.map(judge).filter(({ found }) => found);
  expect(quoted.filter(({ cited }) => !cited)).toEqual([]);
});

test('quotes the passage in most cases with a dozen other documents attached', () => {
  const all = [...new Set(questions.map(({ document }) => document))].flatMap(passagesOf);
  const judged = questions.map((question) => evaluate(question, all));
  expect(share(judged, ({ found, cited }) => found && cited)).toBeGreaterThanOrEqual(0.7);
});

test('keeps its answers short: a third of the document or less', () => {
  const lengths = questions.map((question) => {
    const { answer } = judge(question);
    const document = passagesOf(question.document).reduce((sum, { text }) => sum + text.length, 0);
    return answer.length / document;
  });
  expect(lengths.reduce((sum, one) => sum + one, 0) / lengths.length).toBeLessThan(1 / 3);
});
