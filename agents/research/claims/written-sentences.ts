/** Publishes of notes and written paragraphs only what their quotes confirm. What fails is rewritten once. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { splitSentences } from '../../../engines/retrieval/passages.ts';
import { correctionRules } from '../../prompts/research.ts';
import { fingerprintOf, sharedPart } from '../../repeated-figures.ts';
import { citedQuotes, cleaned, type Evidence, throwOut } from '../findings.ts';
import { ask } from '../stages.ts';
import type { Finding, ResearchState, WrittenParagraph, WrittenSentence } from '../state.ts';
import type { Objection } from './check-claim.ts';
import { bareText } from './quote-context.ts';
import { type CitedQuote, type Claim, type Judgement, judgeClaims, shownQuotes } from './verify.ts';

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

const claimOf = ({ text, quotes, findings }: Draft): Claim => ({
  text,
  evidence: quotes,
  computed: findings.flatMap(({ computed = [] }) => computed),
});

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
    return judgement && 'objection' in judgement ? [{ draft, claim: claimOf(draft), ...judgement }] : [];
  });
  const rewritten = await rewriteRefused(failed, writing);
  const corrected = new Map(failed.map(({ draft }, nth) => [draft, rewritten[nth]]));
  for (const { draft, objection } of failed) if (!corrected.get(draft)) refuse(known, objection, draft.text);
  const sentences = drafts.map((draft, at): WrittenSentence | undefined => {
    const judgement = judged[at];
    if (judgement && 'checkedBy' in judgement) return { text: draft.text, checked_by: judgement.checkedBy };
    return corrected.get(draft);
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

const MOST_WORDS = 0.5;

/** One of the sentences has a figure, or most words, of the finding or of a quote of it. */
export function isBehind({ text, citations }: Finding, sentences: readonly WrittenSentence[]): boolean {
  const own = [text, ...citations.map(({ quote }) => quote)].map(fingerprintOf);
  return sentences
    .map(({ text }) => fingerprintOf(text))
    .some(({ stems, numbers }) =>
      own.some((one) => sharedPart(numbers, one.numbers) > 0 || sharedPart(stems, one.stems) > MOST_WORDS),
    );
}

type Located = { paragraph: WrittenParagraph; sentence: WrittenSentence };

const MAX_CONTRADICTIONS = 20;

/** Of the pairs that a model names, those whose sentences rest on different documents alone. */
export function contradictionsIn(
  pairs: readonly (readonly number[])[],
  sentences: readonly Located[],
  findings: readonly Finding[],
): NonNullable<ResearchState['contradictions']> {
  const behind = ({ paragraph, sentence }: Located): Finding[] => {
    const cited = findings.filter(({ finding }) => paragraph.findings.includes(finding));
    const own = cited.filter((finding) => isBehind(finding, [sentence]));
    return own.length > 0 ? own : cited;
  };
  return pairs.slice(0, MAX_CONTRADICTIONS).flatMap(([first = 0, second = 0]) => {
    const [one, other] = [sentences[first - 1], sentences[second - 1]];
    if (!one || !other) return [];
    const [own, theirs] = [behind(one), behind(other)];
    const [ofOne, ofOther] = [documentsOf(own), documentsOf(theirs)];
    const [from, to] = [ofOne[0], ofOther[0]];
    if (from === undefined || to === undefined || ofOne.some((document) => ofOther.includes(document))) return [];
    const numbers = [...new Set([...own, ...theirs].map(({ finding }) => finding))];
    return [{ texts: [one.sentence.text, other.sentence.text], documents: [from, to], findings: numbers }];
  });
}

/** A sentence that is a finding word for word was judged when the finding was. */
async function judgeDrafts(drafts: readonly Draft[], { known, model, now, signal }: Writing): Promise<Judgement[]> {
  const judged = drafts.map(({ text, findings }): Judgement | undefined => {
    const same = findings.find((finding) => bareText(finding.text) === bareText(text));
    return same && { checkedBy: same.checked_by };
  });
  const open = drafts.filter((_, at) => judged[at] === undefined);
  const left = await judgeClaims(open.map(claimOf), { known, model, now, signal });
  return judged.map((one) => one ?? left.shift() ?? { objection: 'unchecked', detail: '' });
}

const ANSWER_TOKENS = 3_000;
const MAX_REWRITTEN = 20;

const answers = v.object({ sentences: v.array(v.object({ sentence: v.number(), text: v.string() })) });

type Refused = { claim: Claim; objection: Objection };

type CheckedNotes = { checked: (WrittenSentence | { objection: Objection })[]; failures: unknown[] };

/** For each note what may be published, itself or its correction, or why neither may. A failure keeps what was judged before it. */
export async function checkNotes(claims: readonly Claim[], writing: Omit<Writing, 'refuse'>): Promise<CheckedNotes> {
  const failures: unknown[] = [];
  const failed = (error: unknown): [] => {
    failures.push(error);
    return [];
  };
  const judged: Judgement[] = await judgeClaims(claims, writing).catch(failed);
  const refused = judged.flatMap((one, at) => {
    const claim = claims[at];
    return claim && 'objection' in one ? [{ claim, ...one }] : [];
  });
  const rewritten = await rewriteRefused(refused, writing).catch(failed);
  const corrected = new Map(refused.map(({ claim }, nth) => [claim, rewritten[nth]]));
  const checked = claims.map((claim, at) => {
    const one = judged[at] ?? { objection: 'unchecked' };
    return 'checkedBy' in one ? { text: claim.text, checked_by: one.checkedBy } : (corrected.get(claim) ?? one);
  });
  return { checked, failures };
}

/** For each refused claim what is left of it: its correction, if that passes. */
async function rewriteRefused(
  all: readonly Refused[],
  { known, evidence, model, now, signal }: Omit<Writing, 'refuse'>,
): Promise<(WrittenSentence | undefined)[]> {
  // Without a verifier nothing can be confirmed, corrected or not.
  const refused = all.filter(({ objection }) => objection !== 'unchecked').slice(0, MAX_REWRITTEN);
  if (refused.length === 0) return all.map(() => undefined);
  const shown = refused.map(({ claim, objection }, at) => ({
    sentence: at + 1,
    text: claim.text,
    refused_for: objection,
    quotes: shownQuotes(claim),
  }));
  const answer = await ask(known, {
    role: 'write',
    model,
    rules: correctionRules(now).join('\n'),
    messages: [`The refused sentences and their quotes:\n${JSON.stringify(shown)}`],
    schema: answers,
    signal,
    answerTokens: ANSWER_TOKENS,
  });
  const again = refused.flatMap(({ claim }, nth) => {
    const text = answer?.sentences.find(({ sentence }) => sentence === nth + 1)?.text ?? '';
    const cited = claim.evidence.flatMap(({ document }) => evidence.get(document) ?? []);
    const plain = cleaned(text, cited);
    return plain === '' ? [] : [{ claim, corrected: { ...claim, text: plain } }];
  });
  const judged = await judgeClaims(
    again.map(({ corrected }) => corrected),
    { known, model, now, signal },
  );
  const kept = new Map<Claim, WrittenSentence>();
  for (const [nth, { claim, corrected }] of again.entries()) {
    const judgement = judged[nth];
    if (judgement && 'checkedBy' in judgement)
      kept.set(claim, { text: corrected.text, checked_by: judgement.checkedBy });
  }
  return all.map(({ claim }) => kept.get(claim));
}
