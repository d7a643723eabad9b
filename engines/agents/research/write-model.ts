/** Has a language model write the sections out of the findings; a paragraph that rests on none of them is thrown out. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { ask, MATERIAL } from './ask.ts';
import { cleaned, isSupported } from './check-statement.ts';
import type { Deliverable } from './deliverables.ts';
import { type Evidence, evidenceIn, evidenceOf } from './evidence.ts';
import type { Finding, ResearchState } from './state.ts';
import type { ResearchRequest } from './wish.ts';
import type { WrittenParagraph } from './written.ts';

const ANSWER_TOKENS = 8_000;
const MOST_PARAGRAPHS = 12;
/** It joins and weighs what was found, so less of it is in the documents' own words. */
const LEAST_SUPPORT = 0.4;

const answers = v.object({
  sections: v.array(
    v.object({
      section: v.number(),
      paragraphs: v.array(v.object({ text: v.string(), findings: v.array(v.number()) })),
    }),
  ),
});

const RULES = [
  'You write the sections of a report out of numbered findings. Nobody can answer questions.',
  'Each paragraph is one to four sentences and says in "findings" on which of them it rests; use no fact that is not in them.',
  'An executive summary answers the question first. Recommendations follow from findings and say from what.',
  'Write no citation marks and no addresses into the text.',
  MATERIAL,
  'Answer with JSON of this form: {"sections": [{"section": 1, "paragraphs": [{"text": "...", "findings": [1, 4]}]}]}.',
].join('\n');

type SectionRequest = {
  wish: ResearchRequest;
  known: ResearchState;
  deliverables: readonly Deliverable[];
  model: LanguageModelV4;
  signal: AbortSignal;
};

/** What it wrote of each deliverable; of those it left out there is nothing. */
export async function writtenByModel(asked: SectionRequest): Promise<Map<Deliverable, WrittenParagraph[]>> {
  const { wish, known, deliverables, model, signal } = asked;
  const wished = {
    question: wish.query,
    kind: wish.researchType,
    places: wish.scope,
    sections: Object.fromEntries(deliverables.map(({ title }, at) => [at + 1, title])),
  };
  const findings = known.findings.map(({ finding, text, topics, citations }) => ({
    finding,
    text,
    topics,
    quotes: citations.map(({ quote }) => quote),
  }));
  const messages = [`What is wished:\n${JSON.stringify(wished)}`, `The findings:\n${JSON.stringify(findings)}`];
  const answer = await ask(known, {
    ...{ model, rules: RULES, messages, schema: answers, signal },
    answerTokens: ANSWER_TOKENS,
  });
  const evidence = evidenceOf(known.documents);
  const written = new Map<Deliverable, WrittenParagraph[]>();
  for (const { section, paragraphs } of answer?.sections ?? []) {
    const deliverable = deliverables[section - 1];
    const held = paragraphs.slice(0, MOST_PARAGRAPHS).flatMap((one) => heldParagraph(one, known, evidence) ?? []);
    if (deliverable && held.length > 0) written.set(deliverable, held);
  }
  return written;
}

type Proposal = { text: string; findings: number[] };

function heldParagraph(
  proposal: Proposal,
  known: ResearchState,
  evidence: ReadonlyMap<number, Evidence>,
): WrittenParagraph | undefined {
  const wanted = new Set(proposal.findings);
  const resting = known.findings.filter(({ finding }) => wanted.has(finding));
  const citations = documentsOf(resting);
  const cited = citations.flatMap((document) => evidence.get(document) ?? []);
  const text = cleaned(proposal.text, cited);
  // What the findings say was held against their documents before.
  const said = [...cited, ...resting.map((finding) => evidenceIn(finding.text))];
  if (text === '' || resting.length === 0 || !isSupported(text, said, LEAST_SUPPORT)) {
    known.thrownOut++;
    return undefined;
  }
  return { text, citations, findings: resting.map(({ finding }) => finding), is_quote: false };
}

const documentsOf = (findings: readonly Finding[]): number[] =>
  [...new Set(findings.flatMap(({ citations }) => citations.map(({ document }) => document)))].sort((a, b) => a - b);
