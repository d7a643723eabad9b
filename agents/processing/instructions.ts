/** Puts the instructions of a task to a model, one stretch of a document at a time. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { ShownPicture } from '../generate-answer.ts';
import { instructionRules, outlineOf } from '../prompts/processing.ts';
import { type AnswerCounts, countedAnswer } from '../runtime.ts';
import { stretchesOf } from '../stretches.ts';
import type { ApplyRule } from '../text-work.ts';
import { type CitedFinding, citedValues } from './cited-values.ts';
import type { DocumentAnswers, KeptPicture, Value } from './state.ts';

const MAX_CALLS = 8;
const ANSWER_TOKENS = 4_000;

const schema = v.object({
  findings: v.array(v.object({ instruction: v.number(), value: v.string(), excerpt: v.string() })),
});

type Asked = {
  model: LanguageModelV4;
  /** The model with the role of the second look, if the organization has one. */
  verifier?: LanguageModelV4 | undefined;
  name: string;
  parts: readonly DocumentPart[];
  pictures: readonly KeptPicture[];
  instructions: string[];
  applyRule: ApplyRule;
  now: number;
  signal: AbortSignal;
};

/** What the model answers about a document, each value with the excerpt that it cites. */
export async function answerInstructions({ parts, pictures, applyRule, ...about }: Asked): Promise<DocumentAnswers> {
  const { instructions } = about;
  const stretches = stretchesOf(parts);
  const outline = outlineOf(parts);
  const shown = stretches.slice(0, MAX_CALLS);
  const lengthOf = (some: string[]) => some.reduce((sum, { length }) => sum + length, 0);
  const counts: AnswerCounts = { calls: 0, unusable: 0 };
  let share = lengthOf(shown) / Math.max(1, lengthOf(stretches));
  const findings: CitedFinding[] = [];
  for (const [nth, stretch] of shown.entries()) {
    const own = pictures.filter(({ page }) => stretchOf(page, shown) === nth).map(shownPicture);
    const answer = await ask({ ...about, outline, stretch, pictures: own, counts });
    // Without a usable answer, this stretch counts as not shown.
    if (!answer) share -= stretch.length / Math.max(1, lengthOf(stretches));
    for (const { instruction, ...finding } of answer?.findings ?? []) {
      const rule = instructions[instruction - 1];
      if (rule !== undefined && finding.value.trim() !== '') findings.push({ rule, ...finding });
    }
  }
  const values = await citedValues({ ...about, parts, applyRule }, counts, findings);
  const { calls, unusable } = counts;
  return { values, calls, unusable, share: Math.max(0, share) };
}

/** Each picture goes along once, with the first text of its page. */
const stretchOf = (page: number, stretches: readonly string[]): number =>
  Math.max(
    0,
    stretches.findIndex((stretch) => stretch.includes(`[page ${page}]\n`)),
  );

export const shownPicture = ({ page, base64 }: KeptPicture): ShownPicture => ({
  name: `Picture of page ${page}`,
  mediaType: 'image/png',
  bytes: Buffer.from(base64, 'base64'),
});

type Stretch = Omit<Asked, 'parts' | 'pictures' | 'applyRule'> & {
  outline: string;
  stretch: string;
  pictures: readonly ShownPicture[];
  counts: AnswerCounts;
};

function ask({ model, name, outline, stretch, pictures, instructions, now, signal, counts }: Stretch) {
  const numbered = instructions.map((text, at) => `${at + 1}. ${text}`).join('\n');
  const document = `The document ${JSON.stringify(name)}. Its outline:\n${outline}\n${stretch}`;
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

const MAX_PASSAGES = 3;
const MAX_EXCERPT = 400;

/** Without a language model, an instruction gets the passages of the document that are nearest to it. */
export async function passagesFor({
  name,
  parts,
  instructions,
  applyRule,
}: Pick<Asked, 'name' | 'parts' | 'instructions' | 'applyRule'>): Promise<DocumentAnswers> {
  const shown = parts.filter(({ hidden }) => !hidden);
  const passages = shown.map(({ label, text }) => ({ source: name, place: label, text }));
  const values: Value[] = [];
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
