/** Puts the instructions of a task to a model, one stretch of a document at a time. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { RuleValue } from '../../shared/agents/results/processing.ts';
import type { ApplyRule } from '../apply-rule.ts';
import type { PromptPicture } from '../generate-answer.ts';
import { documentOutline, instructionRules } from '../prompts/processing.ts';
import { type AnswerCounts, countedAnswer } from '../structured-answer.ts';
import { textChunks } from '../text-chunks.ts';
import { type CitedFinding, citedValues } from './cited-values.ts';
import type { DocumentAnswers, StoredPicture } from './state.ts';

const MAX_CALLS = 8;
const ANSWER_TOKENS = 4_000;

const schema = v.object({
  findings: v.array(v.object({ instruction: v.number(), value: v.string(), excerpt: v.string() })),
});

type InstructionsRequest = {
  model: LanguageModelV4;
  /** The model with the role of the second look, if the organization has one. */
  verifier?: LanguageModelV4 | undefined;
  name: string;
  parts: readonly DocumentPart[];
  pictures: readonly StoredPicture[];
  instructions: string[];
  applyRule: ApplyRule;
  now: number;
  signal: AbortSignal;
};

/** What the model answers about a document, each value with the excerpt that it cites. */
export async function answerInstructions({
  parts,
  pictures,
  applyRule,
  ...about
}: InstructionsRequest): Promise<DocumentAnswers> {
  const { instructions } = about;
  const chunks = textChunks(parts);
  const outline = documentOutline(parts);
  const shownChunks = chunks.slice(0, MAX_CALLS);
  const lengthOf = (texts: string[]) => texts.reduce((sum, { length }) => sum + length, 0);
  const counts: AnswerCounts = { calls: 0, unusable: 0 };
  let share = lengthOf(shownChunks) / Math.max(1, lengthOf(chunks));
  const findings: CitedFinding[] = [];
  for (const [nth, chunk] of shownChunks.entries()) {
    const chunkPictures = pictures.filter(({ page }) => chunkIndexOf(page, shownChunks) === nth).map(toPromptPicture);
    const answer = await ask({ ...about, outline, chunk, pictures: chunkPictures, counts });
    // Without a usable answer, this stretch counts as not shown.
    if (!answer) share -= chunk.length / Math.max(1, lengthOf(chunks));
    for (const { instruction, ...finding } of answer?.findings ?? []) {
      const rule = instructions[instruction - 1];
      if (rule !== undefined && finding.value.trim() !== '') findings.push({ rule, ...finding });
    }
  }
  const values = await citedValues({ ...about, parts, applyRule }, counts, findings);
  const { calls, unusable } = counts;
  return { values, calls, unusable, share: Math.max(0, share) };
}

export const toPromptPicture = ({ page, base64 }: StoredPicture): PromptPicture => ({
  name: `Picture of page ${page}`,
  mediaType: 'image/png',
  bytes: Buffer.from(base64, 'base64'),
});

const MAX_PASSAGES = 3;
const MAX_EXCERPT = 400;

/** Without a language model, an instruction gets the passages of the document that are nearest to it. */
export async function passagesFor({
  name,
  parts,
  instructions,
  applyRule,
}: Pick<InstructionsRequest, 'name' | 'parts' | 'instructions' | 'applyRule'>): Promise<DocumentAnswers> {
  const visibleParts = parts.filter(({ hidden }) => !hidden);
  const passages = visibleParts.map(({ label, text }) => ({ source: name, place: label, text }));
  const values: RuleValue[] = [];
  for (const rule of instructions) {
    const nearest = (await applyRule('searchPassages', { query: rule, passages, limit: MAX_PASSAGES })) ?? [];
    for (const { text, place } of nearest) {
      const value = text.replaceAll(/\s+/g, ' ').trim();
      values.push({
        rule,
        value,
        text: value,
        place,
        excerpt: text.slice(0, MAX_EXCERPT),
        verified: true,
        is_passage: true,
      });
    }
  }
  return { values, calls: 0, share: 0, unusable: 0 };
}

/** Each picture goes along once, with the first text of its page. */
const chunkIndexOf = (page: number, chunks: readonly string[]): number =>
  Math.max(
    0,
    chunks.findIndex((chunk) => chunk.includes(`[page ${page}]\n`)),
  );

type ChunkRequest = Omit<InstructionsRequest, 'parts' | 'pictures' | 'applyRule'> & {
  outline: string;
  chunk: string;
  pictures: readonly PromptPicture[];
  counts: AnswerCounts;
};

function ask({ model, name, outline, chunk, pictures, instructions, now, signal, counts }: ChunkRequest) {
  const numbered = instructions.map((text, at) => `${at + 1}. ${text}`).join('\n');
  const document = `The document ${JSON.stringify(name)}. Its outline:\n${outline}\n${chunk}`;
  return countedAnswer(counts, {
    model,
    rules: instructionRules(now).join('\n'),
    messages: [`Instructions:\n${numbered}\n\n${document}`],
    pictures,
    schema,
    answerTokens: ANSWER_TOKENS,
    signal,
  });
}
