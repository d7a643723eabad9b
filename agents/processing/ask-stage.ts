/** Puts the instructions to the model, one batch of documents at a time, and verifies its citations. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { DocumentPart } from '../../engines/documents/document.ts';
import type { Stage, Work } from '../../shared/tasks/agent.ts';
import type { ShownPicture } from '../generate-answer.ts';
import { instructionRules, outlineOf, PROCESSING_PROMPT } from '../prompts/processing.ts';
import { fillRecord } from '../records/fill-record.ts';
import { finishRecord } from '../records/finish-record.ts';
import { restoredFindings } from '../records/merge-findings.ts';
import { testPatternsBy } from '../records/test-patterns.ts';
import { type AnswerCounts, countedAnswer, readJson } from '../runtime.ts';
import { stretchesOf } from '../stretches.ts';
import { type ApplyRule, ruleApplier } from '../text-work.ts';
import { classifyByModel } from './classification.ts';
import { checkUsable } from './read-stage.ts';
import { checkpoint, type ProcessingSetting, resume } from './stages.ts';
import {
  type DocumentAnswers,
  isProcessed,
  type KeptPicture,
  type Processed,
  type ProcessingState,
  type Value,
} from './state.ts';
import { summarizeByModel } from './summaries.ts';

type Located = { place: string; excerpt: string };

const MAX_EXCERPT = 400;

/**
 * Finds the citations of a model in what a person sees of the document, ignoring differences in white space, and returns
 * the document's own text.
 */
async function locate(
  { parts, applyRule }: Pick<Asked, 'parts' | 'applyRule'>,
  quotes: readonly string[],
): Promise<(Located | undefined)[]> {
  const all = quotes.length === 0 ? [] : ((await applyRule('findQuotes', { parts, quotes })) ?? []);
  return quotes.map((_, at) => {
    const found = all[at];
    const part = found && parts[found.part];
    if (!found || !part) return undefined;
    return { place: part.label, excerpt: part.text.slice(found.start, Math.min(found.end, found.start + MAX_EXCERPT)) };
  });
}

const MAX_CALLS = 8;
const ANSWER_TOKENS = 4_000;

const schema = v.object({
  findings: v.array(v.object({ instruction: v.number(), value: v.string(), excerpt: v.string() })),
});

type Asked = {
  model: LanguageModelV4;
  name: string;
  parts: readonly DocumentPart[];
  pictures: readonly KeptPicture[];
  instructions: string[];
  applyRule: ApplyRule;
  now: number;
  signal: AbortSignal;
};

/**
 * Puts the instructions to a language model, one stretch of the document at a time, and checks its citations against
 * the text.
 */
async function askModel({ parts, pictures, applyRule, ...about }: Asked): Promise<DocumentAnswers> {
  const { instructions } = about;
  const stretches = stretchesOf(parts);
  const outline = outlineOf(parts);
  const shown = stretches.slice(0, MAX_CALLS);
  const lengthOf = (some: string[]) => some.reduce((sum, { length }) => sum + length, 0);
  const all: DocumentAnswers = {
    values: [],
    calls: 0,
    unusable: 0,
    share: lengthOf(shown) / Math.max(1, lengthOf(stretches)),
  };
  for (const [nth, stretch] of shown.entries()) {
    const own = pictures.filter(({ page }) => stretchOf(page, shown) === nth).map(shownPicture);
    const answer = await asked({ ...about, outline, stretch, pictures: own, counts: all });
    // Without a usable answer, this stretch counts as not shown.
    if (!answer) all.share -= stretch.length / Math.max(1, lengthOf(stretches));
    const findings = (answer?.findings ?? []).flatMap(({ instruction, ...finding }) => {
      const rule = instructions[instruction - 1];
      return rule === undefined || finding.value.trim() === '' ? [] : [{ rule, ...finding }];
    });
    const located = await locate(
      { parts, applyRule },
      findings.flatMap(({ excerpt, value }) => [excerpt, value]),
    );
    all.values.push(...findings.map((one, at) => citedValue(one, located[2 * at] ?? located[2 * at + 1])));
  }
  return { ...all, share: Math.max(0, all.share) };
}

/** Each picture goes along once, with the first text of its page. */
const stretchOf = (page: number, stretches: readonly string[]): number =>
  Math.max(
    0,
    stretches.findIndex((stretch) => stretch.includes(`[page ${page}]\n`)),
  );

const shownPicture = ({ page, base64 }: KeptPicture): ShownPicture => ({
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

function asked({ model, name, outline, stretch, pictures, instructions, now, signal, counts }: Stretch) {
  const wishes = instructions.map((text, at) => `${at + 1}. ${text}`).join('\n');
  const document = `The document ${JSON.stringify(name)}. Its outline:\n${outline}\n${stretch}`;
  return countedAnswer(counts, {
    model,
    rules: instructionRules(now).join('\n'),
    messages: [`Instructions:\n${wishes}\n\n${document}`],
    pictures,
    schema,
    answerTokens: ANSWER_TOKENS,
    signal,
  });
}

const MAX_VALUE = 2_000;

/** A value that is not found in the document gets `verified: false`. */
function citedValue({ rule, value }: { rule: string; value: string }, located: Located | undefined): Value {
  return {
    rule,
    value: value.slice(0, MAX_VALUE),
    text: value.slice(0, MAX_VALUE),
    place: located?.place ?? null,
    excerpt: located?.excerpt ?? null,
    verified: located !== undefined,
  };
}

const MAX_PASSAGES = 3;

/** Without a language model, an instruction gets the passages of the document that are nearest to it. */
async function passagesFor({
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

export const askStage = (setting: ProcessingSetting, batch: number[], isLast: boolean): Stage => ({
  name: 'asking',
  async run(work, carried) {
    const { ports, input } = setting;
    const { address, report } = work;
    const before = await resume(setting, carried);
    checkUsable(before.documents);
    const model = await ports.modelOf(input.model, work, input.asked.reasoning_effort);
    const known = {
      ...before,
      documents: [...before.documents],
      texts: { ...before.texts },
      pictures: { ...before.pictures },
    };
    for (const [done, at] of batch.entries()) {
      await askDocument(setting, work, { known, at, model });
      delete known.texts[at + 1];
      delete known.pictures[at + 1];
      report((done + 1) / batch.length);
    }
    if (model && known.queries > before.queries) known.promptVersion = PROCESSING_PROMPT;
    return checkpoint(setting, address, { known, stages: isLast ? ['reading', 'asking'] : ['reading'] });
  },
});

type Turn = { known: ProcessingState; at: number; model: LanguageModelV4 | undefined };

/** Puts the instructions about one document to the model, and the fields of its record that are open. */
async function askDocument(
  { ports, plan }: ProcessingSetting,
  { address: { organization }, signal }: Work,
  { known, at, model }: Turn,
): Promise<void> {
  const document = known.documents[at];
  const textAt = known.texts[at + 1];
  if (!document || !isProcessed(document) || textAt === undefined) return;
  const all = await readJson<DocumentPart[]>(ports, textAt);
  const { name } = document;
  const { instructions, record } = plan;
  const now = ports.clock.now();
  const applyRule = ruleApplier(ports.documents, { organization, signal });
  if (instructions.length > 0) {
    const about = { name, parts: all, instructions, applyRule };
    const answered = model
      ? await askModel({ ...about, model, pictures: await picturesOf(ports, known, at), now, signal })
      : await passagesFor(about);
    note(known, { at, document, answered, instructions: instructions.length });
  }
  if (!model) return;
  const parts = all.filter(({ hidden }) => !hidden);
  const request = { document: at + 1, applyRule, signal, model, name, now, parts };
  if (record) {
    const testPatterns = testPatternsBy(ports.documents, { organization, signal });
    const question = { model, name, now, signal };
    const { findings, ...counts } = await fillRecord({ plan: record, parts, document: at + 1, applyRule, question });
    const filled = await finishRecord({ plan: record, testPatterns }, restoredFindings(record, findings));
    noteAnswer(known, at, { known: { record: filled }, ...counts });
  }
  if (plan.length) {
    const { summary, ...counts } = await summarizeByModel({ ...request, length: plan.length });
    noteAnswer(known, at, { known: summary.length > 0 ? { summary } : {}, ...counts });
  }
  if (plan.labels) {
    const { found, ...counts } = await classifyByModel({ ...request, labels: plan.labels });
    noteAnswer(known, at, { known: found ? { class: found } : {}, ...counts });
  }
}

async function picturesOf(
  ports: ProcessingSetting['ports'],
  { pictures }: ProcessingState,
  at: number,
): Promise<KeptPicture[]> {
  const picturesAt = pictures?.[at + 1];
  return picturesAt === undefined ? [] : readJson<KeptPicture[]>(ports, picturesAt);
}

type Answer = { known: Pick<Processed, 'record' | 'summary' | 'class'> } & AnswerCounts;

/** What was found without the model stays where it gave no usable answer. */
function noteAnswer(known: ProcessingState, at: number, { known: more, calls, unusable }: Answer): void {
  const document = known.documents[at];
  if (document && isProcessed(document)) known.documents[at] = { ...document, ...more };
  known.queries += calls;
  if (unusable > 0) known.unusable = (known.unusable ?? 0) + unusable;
}

type Noted = { at: number; document: Processed; answered: DocumentAnswers; instructions: number };

function note(known: ProcessingState, { at, document, answered, instructions }: Noted): void {
  const { values, calls, share, unusable } = answered;
  known.documents[at] = {
    ...document,
    values: [...document.values, ...values],
    asked: Array.from({ length: instructions }, () => share),
  };
  known.queries += calls;
  if (unusable > 0) known.unusable = (known.unusable ?? 0) + unusable;
}
