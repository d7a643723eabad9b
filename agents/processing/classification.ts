/** Asks a model for the class of a document, with the passage that shows it. */

import * as v from 'valibot';
import type { DocumentClass } from '../../shared/agents/results/processing.ts';
import { classRules, documentOutline } from '../prompts/processing.ts';
import { type AnswerCounts, countedAnswer } from '../structured-answer.ts';
import { textChunks } from '../text-chunks.ts';
import type { ClassLabel } from './document-class.ts';
import { locateCitedQuotes, type ModelRequest, supportedStatements } from './summaries.ts';

const ANSWER_TOKENS = 1_000;
const answerSchema = v.object({ label: v.nullable(v.string()), quote: v.string() });

/** Undefined without a usable answer, or if its quote does not stand in the document or does not support it. */
export async function classifyByModel(
  request: ModelRequest & { labels: readonly ClassLabel[] },
): Promise<{ documentClass: DocumentClass | undefined } & AnswerCounts> {
  const { model, document, name, now, parts, labels, signal } = request;
  const counts = { calls: 0, unusable: 0 };
  const [beginning = ''] = textChunks(parts);
  const labelLines = labels.map((label) => JSON.stringify(label)).join('\n');
  const answer = await countedAnswer(counts, {
    model,
    rules: classRules(now).join('\n'),
    messages: [
      `Labels:\n${labelLines}\n\nThe document ${JSON.stringify(name)}. Its outline:\n${documentOutline(parts)}\n${beginning}`,
    ],
    schema: answerSchema,
    answerTokens: ANSWER_TOKENS,
    signal,
  });
  const label = labels.find((candidate) => candidate.name === answer?.label);
  const [located] = label && answer ? await locateCitedQuotes(request, [answer.quote]) : [];
  if (!label || !located) return { documentClass: undefined, ...counts };
  const text = `The class of the document is ${JSON.stringify(label)}.`;
  const [agreed] = await supportedStatements(request, [{ text, ...located }], counts);
  if (!agreed) return { documentClass: undefined, ...counts };
  const reason = 'The model chose it by this passage, and a second look at the passage alone agreed.';
  return { documentClass: { label: label.name, basis: [{ document, ...located }], reason, candidates: [] }, ...counts };
}
