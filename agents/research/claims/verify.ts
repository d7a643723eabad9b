/** Checks statements against their quotes: first by code, then what code leaves open by a second call of a model. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import { splitSentences } from '../../../engines/retrieval/passages.ts';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import { claimRules } from '../../prompts/research.ts';
import { ask } from '../stages.ts';
import type { CheckedBy, ResearchState } from '../state.ts';
import { type ClaimEvidence, checkClaim, type Objection } from './check-claim.ts';
import { type ComputedFigure, computedFigure, figuresIn } from './figures.ts';
import { languageOf } from './language.ts';
import { nameSource, namesIn } from './names.ts';

/** A quote of a document with its whole sentences. */
export type CitedQuote = ClaimEvidence & { document: number; quote: string; published_at: string | null };

/** `computed` are the figures of its text that code computed from the quotes. */
export type Claim = { text: string; evidence: readonly CitedQuote[]; computed?: readonly ComputedFigure[] };

export type Judgement = { checkedBy: CheckedBy } | { objection: Objection; detail: string };

const VERDICTS = ['supported', 'contradicted', 'not_in_source'] as const;

const statements = v.array(v.object({ text: v.string(), verdict: v.picklist(VERDICTS) }));

const answers = v.object({
  verdicts: v.array(v.object({ claim: v.number(), statements: v.nullish(statements), verdict: v.picklist(VERDICTS) })),
});

const ANSWER_TOKENS = 4_000;
const CLAIMS_A_CALL = 20;

const MAX_FORMULAS = 5;

/** The formulas of a model whose operands stand in the quotes. */
export function computedFigures(formulas: readonly string[], evidence: readonly CitedQuote[]): ComputedFigure[] {
  if (formulas.length === 0) return [];
  const known = evidence.flatMap(({ sentences }) => figuresIn(sentences, languageOf(sentences)));
  return formulas.slice(0, MAX_FORMULAS).flatMap((formula) => computedFigure(formula, known) ?? []);
}

/** What a model sees of quotes; with the beginnings of their documents where a name of the claim stands in no quote. */
export function shownQuotes({ text, evidence }: Pick<Claim, 'text' | 'evidence'>) {
  const known = nameSource(evidence.map(({ sentences, title }) => `${title}\n${sentences}`).join('\n'));
  const hasUnknown = namesIn(text, languageOf(text)).some((name) => !known.has(name, { isTranslated: false }));
  return evidence.map(({ quote, sentences, title, published_at, beginning }) => ({
    quote,
    sentences,
    title,
    published_at,
    ...(hasUnknown ? definedFields({ beginning }) : {}),
  }));
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

/** Every statement of a claim has to hold, by code as well. One of several sentences, some of them quotes, was checked by both. */
function judgementOf(answer: Answer | undefined, { text, evidence, computed = [] }: Claim): Judgement {
  if (answer === undefined) return { objection: 'unchecked', detail: '' };
  if (answer.verdict !== 'supported') return { objection: answer.verdict, detail: '' };
  for (const statement of answer.statements) {
    const byCode = checkClaim(statement, evidence, { computed });
    if (byCode.verdict === 'rejected') return { objection: byCode.reason, detail: byCode.detail };
  }
  const hasQuotes = splitSentences(text, 'en').some((one) => checkClaim(one, evidence).verdict === 'supported');
  return { checkedBy: hasQuotes ? 'both' : 'model' };
}

type Verdict = (typeof VERDICTS)[number];

/** What the verifier says of a claim: the worst of its verdicts, and the single statements that it split the claim into. */
type Answer = { verdict: Verdict; statements: string[] };

/** Undefined without a usable answer. A claim that the answer leaves out is not in its source. */
async function askVerifier(claims: readonly Claim[], verifier: Verifier): Promise<Answer[] | undefined> {
  const { known, model, now, signal } = verifier;
  const shown = claims.map(({ text, evidence, computed = [] }, at) => ({
    claim: at + 1,
    text,
    ...(computed.length > 0 ? { computed: computed.map(({ formula, value }) => `${formula} = ${value}`) } : {}),
    quotes: shownQuotes({ text, evidence }),
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
  return answer && claims.map((_, at) => answerTo(at + 1, answer.verdicts));
}

function answerTo(nth: number, all: v.InferOutput<typeof answers>['verdicts']): Answer {
  const own = all.filter(({ claim }) => claim === nth);
  const single = own.flatMap((one) => one.statements ?? []);
  const verdicts = new Set([...own, ...single].map(({ verdict }) => verdict));
  const verdict = VERDICTS.findLast((one) => verdicts.has(one)) ?? 'not_in_source';
  return { verdict, statements: single.map(({ text }) => text) };
}
