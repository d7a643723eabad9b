/** Whether a research found something, in all and in each section, and what an empty section says. */

import type { Outcome, WrittenDeliverable } from '../../shared/agents/results/research.ts';
import { filledShare } from '../records/record-plan.ts';
import type { Deliverable } from './deliverables.ts';
import type { ReportableState } from './pipeline-states.ts';
import type { Finding } from './report-model.ts';
import type { ReportTexts } from './report-texts.ts';
import type { ResearchRequest } from './research-request.ts';

export const isAllRefused = ({ findings, refused }: ReportableState): boolean =>
  findings.length === 0 && refused.statements > 0;

/** Without findings, the documents may still have an answer: in the record, or in statements that did not pass the check. */
export const isFoundOtherwise = (state: ReportableState): boolean =>
  state.record?.complete === true || isAllRefused(state);

/** The texts of empty sections do not say that nothing was found where something was. */
export function emptySectionTexts({ texts, hasModel }: ResearchRequest, state: ReportableState): ReportTexts {
  // Without a language model, nothing was looked for in sections of a topic.
  const sectionTexts = hasModel ? texts : { ...texts, nothingOfTopic: texts.passagesOnly, leftSections: () => '' };
  if (!isFoundOtherwise(state)) return sectionTexts;
  const none = state.record?.complete ? texts.inTables : texts.noneLeft;
  return { ...sectionTexts, nothingFound: none, nothingOfTopic: none, leftSections: () => '' };
}

/** A research may complete although it found nothing: that is an outcome, and no error. The list of what was read is no answer. */
export function outcomeOf({ written, findings, record }: ReportableState): Outcome {
  if (written.length === 0) return null;
  return findings.length > 0 || written.some(isAnswering) || filledShare(record) > 0 ? 'found' : 'nothing_found';
}

/** Returns true if the deliverable contains something from a document. */
export const isBacked = (section: WrittenDeliverable): boolean =>
  isAnswering(section) || (section.documents?.length ?? 0) > 0;

/** No sentence stands in two sections, so one may be empty whose findings are all in another. */
export const isSaidElsewhere = ({ kind, title }: Deliverable, findings: readonly Finding[]): boolean =>
  kind === 'findings' ? findings.length > 0 : findings.some(({ topics }) => topics.includes(title));

/** Why a section has no content: a summary that nobody wrote does not mean that nothing was found. */
export function emptySectionNote(section: Deliverable, findings: readonly Finding[], texts: ReportTexts): string {
  const isInOthers = section.kind === 'summary' && findings.length > 0;
  if (isInOthers || isSaidElsewhere(section, findings)) return texts.saidElsewhere;
  return section.kind === 'topic' ? texts.nothingOfTopic : texts.nothingFound;
}

const isAnswering = ({ paragraphs, table, charts }: WrittenDeliverable): boolean =>
  paragraphs.length > 0 || (table?.rows.length ?? 0) > 0 || (charts?.length ?? 0) > 0;
