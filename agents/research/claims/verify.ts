/** Checks statements against their quotes: first by code, then what code leaves open by a second call of a model. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { splitSentences } from '../../../engines/models/extractive/passages.ts';
import { claimRules } from '../../prompts/research.ts';
import { ask } from '../stages.ts';
import type { CheckedBy, ResearchState } from '../state.ts';
import { type ClaimEvidence, checkClaim, type Objection } from './check-claim.ts';
import { type ComputedFigure, computedFigure, figuresIn } from './figures.ts';
import { languageOf } from './language.ts';

/** A quote of a document with its whole sentences. */
export type CitedQuote = ClaimEvidence & { document: number; quote: string; published_at: string | null };

/** `computed` are the figures of its text that code computed from the quotes. */
export type Claim = { text: string; evidence: readonly CitedQuote[]; computed?: readonly ComputedFigure[] };

export type Judgement = { checkedBy: CheckedBy } | { objection: Objection; detail: string };

const VERDICTS = ['supported', 'contradicted', 'not_in_source'] as const;

const answers = v.object({
  verdicts: v.array(v.object({ claim: v.number(), verdict: v.picklist(VERDICTS) })),
});

const ANSWER_TOKENS = 2_000;
const CLAIMS_A_CALL = 20;

const MAX_FORMULAS = 5;

/** The formulas of a model whose operands stand in the quotes. */
export function computedFigures(formulas: readonly string[], evidence: readonly CitedQuote[]): ComputedFigure[] {
  if (formulas.length === 0) return [];
  const known = evidence.flatMap(({ sentences }) => figuresIn(sentences, languageOf(sentences)));
  return formulas.slice(0, MAX_FORMULAS).flatMap((formula) => computedFigure(formula, known) ?? []);
}

type Verifier = { known: ResearchState; model: LanguageModelV4; now: number; signal: AbortSignal };

/** One judgement for each claim, in order. */
export async function judgeClaims(claims: readonly Claim[], verifier: Verifier): Promise<Judgement[]> {
  const judged: (Judgement | undefined)[] = claims.map(judgeByCode);
  const open = claims.flatMap((claim, at) => (judged[at] === undefined ? [{ claim, at }] : []));
  for (let from = 0; from < open.length; from += CLAIMS_A_CALL) {
    const part = open.slice(from, from + CLAIMS_A_CALL);
    const verdicts = await askVerifier(
      part.map(({ claim }) => claim),
      verifier,
    );
    for (const [nth, { claim, at }] of part.entries()) judged[at] = judgementOf(verdicts?.[nth], claim);
  }
  return judged.map((one) => one ?? { objection: 'unchecked', detail: '' });
}

/** Undefined if code leaves it open. */
function judgeByCode({ text, evidence, computed = [] }: Claim): Judgement | undefined {
  const verdicts = splitSentences(text, 'en').map((sentence) => checkClaim(sentence, evidence, { computed }));
  for (const one of verdicts) if (one.verdict === 'rejected') return { objection: one.reason, detail: one.detail };
  return verdicts.every(({ verdict }) => verdict === 'supported') ? { checkedBy: 'code' } : undefined;
}

/** A statement of several sentences, of which some are quotes, was checked by both. */
function judgementOf(verdict: Verdict | undefined, { text, evidence }: Claim): Judgement {
  if (verdict === undefined) return { objection: 'unchecked', detail: '' };
  if (verdict !== 'supported') return { objection: verdict, detail: '' };
  const hasQuotes = splitSentences(text, 'en').some((one) => checkClaim(one, evidence).verdict === 'supported');
  return { checkedBy: hasQuotes ? 'both' : 'model' };
}

type Verdict = (typeof VERDICTS)[number];

/** Undefined without a usable answer. A claim that the answer leaves out is not in its source. */
async function askVerifier(claims: readonly Claim[], verifier: Verifier): Promise<Verdict[] | undefined> {
  const { known, model, now, signal } = verifier;
  const shown = claims.map(({ text, evidence, computed = [] }, at) => ({
    claim: at + 1,
    text,
    ...(computed.length > 0 ? { computed: computed.map(({ formula, value }) => `${formula} = ${value}`) } : {}),
    quotes: evidence.map(({ quote, sentences, title, published_at }) => ({ quote, sentences, title, published_at })),
  }));
  const messages = [`The claims and their quotes:\n${JSON.stringify(shown)}`];
  const question = {
    role: 'check' as const,
    model,
    rules: claimRules(now).join('\n'),
    messages,
    schema: answers,
    signal,
    answerTokens: ANSWER_TOKENS,
  };
  const answer = await ask(known, question);
  return answer && claims.map((_, at) => verdictOf(answer.verdicts, at + 1));
}

/** Two verdicts about one claim count as the worse one. */
function verdictOf(all: readonly { claim: number; verdict: Verdict }[], nth: number): Verdict {
  const own = all.filter(({ claim }) => claim === nth).map(({ verdict }) => verdict);
  if (own.length === 0) return 'not_in_source';
  return VERDICTS.findLast((verdict) => own.includes(verdict)) ?? 'not_in_source';
}
