/** Publishes of written paragraphs only the sentences that their findings confirm; what fails is rewritten once. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { splitSentences } from '../../../engines/models/extractive/passages.ts';
import { correctionRules } from '../../prompts/research.ts';
import { citedQuotes, cleaned, type Evidence, throwOut } from '../findings.ts';
import { ask } from '../stages.ts';
import type { Finding, ResearchState, WrittenParagraph, WrittenSentence } from '../state.ts';
import type { Objection } from './check-claim.ts';
import { bareText } from './quote-context.ts';
import { type CitedQuote, type Judgement, judgeClaims } from './verify.ts';

/** A paragraph as a model wrote it, with the findings that it names. */
type ProposedParagraph = { text: string; findings: readonly Finding[] };

type Writing = {
  known: ResearchState;
  evidence: ReadonlyMap<number, Evidence>;
  model: LanguageModelV4;
  now: number;
  signal: AbortSignal;
  /** Called for each sentence that is not confirmed; counts it by default. */
  refuse?: typeof throwOut;
};

type Draft = { paragraph: number; text: string; findings: readonly Finding[]; quotes: CitedQuote[] };

/** One result for each paragraph; undefined if no sentence of it is left. */
export async function checkParagraphs(
  paragraphs: readonly ProposedParagraph[],
  writing: Writing,
): Promise<(WrittenParagraph | undefined)[]> {
  const { known, evidence, refuse = throwOut } = writing;
  const drafts = paragraphs.flatMap(({ text, findings }, paragraph): Draft[] => {
    const citations = findings.flatMap((finding) => finding.citations);
    const cited = citations.flatMap(({ document }) => evidence.get(document) ?? []);
    const sentences = splitSentences(cleaned(text, cited), 'en');
    if (citations.length === 0) {
      for (const sentence of sentences) refuse(known, 'no_citation', sentence);
      return [];
    }
    const quotes = citedQuotes(citations, evidence);
    return sentences.map((sentence) => ({ paragraph, text: sentence, findings, quotes }));
  });
  const judged = await judgeDrafts(drafts, writing);
  const failed = drafts.flatMap((draft, at) => {
    const judgement = judged[at];
    return judgement && 'objection' in judgement ? [{ draft, at, objection: judgement.objection }] : [];
  });
  const rewritten = await rewriteFailed(failed, writing);
  const sentences = drafts.map((draft, at): WrittenSentence | undefined => {
    const judgement = judged[at];
    if (judgement && 'checkedBy' in judgement) return { text: draft.text, checked_by: judgement.checkedBy };
    return rewritten.get(at);
  });
  return paragraphs.map(({ findings }, paragraph) => {
    const own = sentences.filter((one, at) => one !== undefined && drafts[at]?.paragraph === paragraph);
    return own.length === 0 ? undefined : paragraphOf(own as WrittenSentence[], findings);
  });
}

const paragraphOf = (sentences: WrittenSentence[], findings: readonly Finding[]): WrittenParagraph => ({
  text: sentences.map(({ text }) => text).join(' '),
  sentences,
  citations: documentsOf(findings),
  findings: findings.map(({ finding }) => finding),
  is_quote: false,
});

export const documentsOf = (findings: readonly Finding[]): number[] =>
  [...new Set(findings.flatMap(({ citations }) => citations.map(({ document }) => document)))].sort((a, b) => a - b);

/** A sentence that is a finding word for word was judged when the finding was. */
async function judgeDrafts(drafts: readonly Draft[], { known, model, now, signal }: Writing): Promise<Judgement[]> {
  const judged = drafts.map(({ text, findings }): Judgement | undefined => {
    const same = findings.find((finding) => bareText(finding.text) === bareText(text));
    return same && { checkedBy: same.checked_by };
  });
  const open = drafts.filter((_, at) => judged[at] === undefined);
  const claims = open.map(({ text, quotes, findings }) => ({
    text,
    evidence: quotes,
    computed: findings.flatMap(({ computed = [] }) => computed),
  }));
  const left = await judgeClaims(claims, { known, model, now, signal });
  return judged.map((one) => one ?? left.shift() ?? { objection: 'unchecked', detail: '' });
}

const ANSWER_TOKENS = 3_000;
const MAX_REWRITTEN = 20;

const answers = v.object({ sentences: v.array(v.object({ sentence: v.number(), text: v.string() })) });

type Failed = { draft: Draft; at: number; objection: Objection };

/** The sentences that pass after one correction, by their place among the drafts. Counts those that do not. */
async function rewriteFailed(failed: readonly Failed[], writing: Writing): Promise<Map<number, WrittenSentence>> {
  const { known, model, signal, evidence, refuse = throwOut } = writing;
  const kept = new Map<number, WrittenSentence>();
  // Without a verifier nothing can be confirmed, corrected or not.
  const refused = failed.filter(({ objection }) => objection !== 'unchecked').slice(0, MAX_REWRITTEN);
  if (refused.length > 0) {
    const shown = refused.map(({ draft: { text, quotes }, objection }, at) => ({
      sentence: at + 1,
      text,
      refused_for: objection,
      quotes: quotes.map(({ quote, sentences, title, published_at }) => ({ quote, sentences, title, published_at })),
    }));
    const messages = [`The refused sentences and their quotes:\n${JSON.stringify(shown)}`];
    const answer = await ask(known, {
      role: 'write',
      model,
      rules: correctionRules(writing.now).join('\n'),
      messages,
      schema: answers,
      signal,
      answerTokens: ANSWER_TOKENS,
    });
    const again = refused.flatMap(({ draft, at }, nth) => {
      const text = answer?.sentences.find(({ sentence }) => sentence === nth + 1)?.text ?? '';
      const cited = draft.findings.flatMap(({ citations }) =>
        citations.flatMap(({ document }) => evidence.get(document) ?? []),
      );
      const plain = cleaned(text, cited);
      return plain === '' ? [] : [{ draft: { ...draft, text: plain }, at }];
    });
    const judged = await judgeDrafts(
      again.map(({ draft }) => draft),
      writing,
    );
    for (const [nth, { draft, at }] of again.entries()) {
      const judgement = judged[nth];
      if (judgement && 'checkedBy' in judgement) kept.set(at, { text: draft.text, checked_by: judgement.checkedBy });
    }
  }
  for (const { draft, at, objection } of failed) if (!kept.has(at)) refuse(known, objection, draft.text);
  return kept;
}
