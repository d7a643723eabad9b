/** The notes on a research that a reader must know first. */

import { STORED_FILES } from '../../shared/agents/agent-input.ts';
import type { SourceState, SubQuestion } from '../../shared/agents/results/research.ts';
import { quotedName } from '../../shared/core/warnings.ts';
import { sourceName } from '../source-names.ts';
import { isAllRefused, isFoundOtherwise, outcomeOf } from './outcome.ts';
import type { ReportableState } from './pipeline-states.ts';
import { listIn, type ReportTexts } from './report-texts.ts';
import type { ResearchRequest } from './research-request.ts';

/** Notes that a reader must know first. */
export function notesOf(request: ResearchRequest, state: ReportableState): string[] {
  const { texts } = request;
  const { sources, items, documents, findings } = state;
  const dead = sources.filter(({ status }) => status === 'dead');
  const samples = samplesOf(state);
  const isGathered = sources.every(({ status }) => status !== 'pending');
  const isQuoted = findings.length > 0 && findings.every(({ is_quote: isQuote }) => isQuote);
  return [
    ...(samples.length > 0
      ? [
          texts.samples(
            listIn(
              texts,
              samples.map(({ source }) => sourceName(source)),
            ),
          ),
        ]
      : []),
    ...(request.hasModel ? [] : [texts.passagesOnly]),
    ...dead.map(({ source, faults }) => texts.notRead(source, faults[0]?.reason.replace(/\.$/, ''))),
    // All sources were gathered, nothing waits to be ranked, and there is still nothing to read.
    ...(isGathered && items.length + documents.length === 0 && dead.length < sources.length ? [texts.noItem] : []),
    ...(state.written.length > 0 && documents.length > 0 && !isFoundOtherwise(state) && findings.length === 0
      ? [texts.nothingSaid]
      : []),
    ...scopeNotes(request, state),
    ...filterNotes(request, state),
    ...unusableNotesIn(texts, state),
    ...checkNotes(texts, state),
    ...(isQuoted && request.hasModel ? [texts.quoted] : []),
  ];
}

/** What was done without the model, for questions to which it gave no usable answer. */
export const unusableNotesIn = (texts: ReportTexts, { unusable = 0 }: ReportableState): string[] =>
  unusable > 0 ? [texts.unusable(unusable)] : [];

/** Names the parts of a question of several parts that nothing answers. */
export function scopeNotes(request: ResearchRequest, state: ReportableState): string[] {
  const { texts, hasModel } = request;
  const open = openQuestions(request, state);
  return !isFoundOtherwise(state) && (state.plan?.subQuestions.length ?? 0) > 1 && open.length > 0
    ? [
        (hasModel ? texts.unanswered : texts.unquoted)(
          listIn(
            texts,
            open.map(({ text }) => questionText(text)),
          ),
        ),
      ]
    : [];
}

/** Known once everything that was chosen is read, or left out for what its page is. Without a model, all parts stay open: those without a quote. */
export function openQuestions(
  { hasModel }: ResearchRequest,
  { plan, documents, findings }: ReportableState,
): SubQuestion[] {
  const isRead =
    documents.length > 0 && documents.every((document) => document.status === 'read' || document.not_opened);
  const quoted = new Set(hasModel ? [] : findings.map((finding) => finding.sub_question));
  const isOpen = ({ status, sub_question: part }: SubQuestion) => status === 'open' && !quoted.has(part);
  return isRead ? (plan?.subQuestions ?? []).filter(isOpen) : [];
}

/** The sources of made-up data that the report rests on. Those of which nothing was chosen do not matter beside other documents. */
function samplesOf(state: ReportableState): SourceState[] {
  const { sources, documents, points, written } = state;
  if (outcomeOf(state) === 'nothing_found') return [];
  const isAll =
    documents.length === 0 && written.length === 0 && sources.every(({ sample_data: isSample }) => isSample);
  const used = new Set([...documents, ...points].map(({ source }) => source));
  return sources.filter(
    ({ source, sample_data: isSample, items }) => isSample && items > 0 && (isAll || used.has(source)),
  );
}

/** Says what the domains and the time range left out, and what they could not be applied to. */
function filterNotes({ isDated, texts }: ResearchRequest, { outOfScope = 0, documents }: ReportableState): string[] {
  const undated = isDated
    ? documents.filter(({ source, published_at: at }) => at === null && source !== STORED_FILES).length
    : 0;
  return [
    ...(outOfScope > 0 ? [texts.outOfScope(outOfScope)] : []),
    ...(undated > 0 ? [texts.undatedScope(undated)] : []),
  ];
}

/** Says how much of what a model wrote is marked, and how much was left out. */
function checkNotes(texts: ReportTexts, state: ReportableState): string[] {
  const marked = markedIn(state);
  const parts = [
    ...(marked > 0 ? [texts.marked(marked)] : []),
    ...(state.refused.statements > 0 ? [texts.removed(state.refused.statements)] : []),
    ...(isAllRefused(state) ? [texts.noneLeft] : []),
  ];
  return parts.length > 0 ? [parts.join(' ')] : [];
}

/** The sentences and rows of the report that are published with a mark. */
const markedIn = ({ written }: ReportableState): number =>
  written.reduce(
    (sum, { paragraphs, table }) =>
      sum +
      [...paragraphs.flatMap(({ sentences }) => sentences), ...(table?.rows ?? [])].filter(
        ({ unconfirmed }) => unconfirmed !== undefined,
      ).length,
    0,
  );

const MAX_QUESTION = 160;

/** A whole question of a model is set off from the sentence around it; a part of the caller's own question belongs to it. */
const questionText = (text: string): string => {
  const name = quotedName(text, MAX_QUESTION);
  return text.endsWith('?') ? `“${name}”` : name;
};
