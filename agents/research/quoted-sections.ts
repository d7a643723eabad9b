/** The sections in words that no model wrote: the findings as they are, each in one section. */

import type { ReportLength } from '../../shared/agents/research-input.ts';
import type { WrittenDeliverable, WrittenParagraph } from '../../shared/agents/results/research.ts';
import type { Deliverable } from './deliverables.ts';
import { citedNumbers } from './findings.ts';
import { emptySectionNote } from './outcome.ts';
import type { ReportableState } from './pipeline-states.ts';
import type { Finding } from './report-model.ts';
import type { ChosenDocument, ResearchRequest } from './research-request.ts';

const LIMITS: Record<ReportLength, SectionLimits> = {
  short: { summary: 3, findings: 5, topic: 3 },
  standard: { summary: 5, findings: Number.POSITIVE_INFINITY, topic: 8 },
  long: { summary: 8, findings: Number.POSITIVE_INFINITY, topic: 20 },
};

type SectionFindings = { section: Deliverable; findings: Finding[] };

/** Each finding stands in one section, so that nothing is said twice; the summary is the best of all. */
export function quotedSections(request: ResearchRequest, state: ReportableState): WrittenDeliverable[] {
  const limits = LIMITS[request.length];
  const sections = request.deliverables.filter(isInWords);
  const summary = sections.find(({ kind }) => kind === 'summary');
  const inSummary = summary ? summaryOf(state, { most: limits.summary, isAlone: sections.length === 1 }) : [];
  const homes = sections
    .filter((section) => section !== summary)
    .map((section): SectionFindings => ({ section, findings: [] }));
  for (const finding of state.findings.filter((candidate) => !inSummary.includes(candidate))) {
    const fitting = homes.filter(({ section }) => section.kind === 'topic' && finding.topics.includes(section.title));
    const smallest = fitting.toSorted((a, b) => a.findings.length - b.findings.length)[0];
    (smallest ?? homes.find(({ section }) => section.kind === 'findings'))?.findings.push(finding);
  }
  return sections.map((section) => {
    const home = homes.find((entry) => entry.section === section);
    const limit = section.kind === 'topic' ? limits.topic : limits.findings;
    const findings = home ? bySubQuestion(home.findings).slice(0, limit) : inSummary;
    return toWrittenSection(section, findings, { request, state });
  });
}

type SectionLimits = { summary: number; findings: number; topic: number };

const isInWords = ({ kind }: Deliverable): boolean => kind === 'summary' || kind === 'findings' || kind === 'topic';

function toWrittenSection(
  section: Deliverable,
  findings: readonly Finding[],
  { request: { texts }, state }: { request: ResearchRequest; state: ReportableState },
): WrittenDeliverable {
  const { deliverable, title } = section;
  if (findings.length > 0) return { deliverable, title, paragraphs: findings.map(paragraphOf) };
  return { deliverable, title, paragraphs: [], note: emptySectionNote(section, state.findings, texts) };
}

/** In the order of the sub-questions, the best of each first. */
const bySubQuestion = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => a.sub_question - b.sub_question || b.score - a.score);

const OF_ONE_DOCUMENT = 2;

/** The best of each part of the question come first; then no document of several fills the summary, and half is left to the rest. */
function summaryOf(state: ReportableState, { most, isAlone }: { most: number; isAlone: boolean }): Finding[] {
  const findings = state.findings.filter((finding) => !isFigureRecord(finding, state));
  const firsts = new Set(
    [...Map.groupBy(findings, ({ sub_question }) => sub_question).values()].map(([bestOfQuestion]) => bestOfQuestion),
  );
  const isOneDocument = new Set(findings.map(({ citations }) => citations[0]?.document)).size === 1;
  const used = new Map<number, number>();
  const furtherFindings = findings.filter((finding) => {
    const document = finding.citations[0]?.document ?? 0;
    used.set(document, (used.get(document) ?? 0) + 1);
    return !firsts.has(finding) && (isOneDocument || (used.get(document) ?? 0) <= OF_ONE_DOCUMENT);
  });
  const half = isAlone ? findings.length : Math.max(firsts.size, Math.ceil(findings.length / 2));
  const best = [...findings.filter((finding) => firsts.has(finding)), ...furtherFindings];
  return bySubQuestion(best.slice(0, Math.min(most, half)));
}

/** A record of a figure, all of whose text is one sentence, is no statement about the question: it stands in the table and the charts. */
function isFigureRecord({ text, citations }: Finding, { documents }: ReportableState): boolean {
  const isRecord = ({ figures, text: whole }: ChosenDocument) => figures.length > 0 && whole.trim() === text;
  return citations.some((citation) =>
    documents.some((document) => document.document === citation.document && isRecord(document)),
  );
}

const paragraphOf = ({ finding, text, checked_by, unconfirmed, citations, is_quote }: Finding): WrittenParagraph => {
  const documents = citedNumbers(citations);
  const mark = unconfirmed === undefined ? {} : { unconfirmed };
  const sentence = { text, checked_by, findings: [finding], citations: documents, ...mark };
  return { text, sentences: [sentence], citations: documents, findings: [finding], is_quote };
};
