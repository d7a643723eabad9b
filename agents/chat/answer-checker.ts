/**
 * Checks what a chat answers about its files: code looks for the cited places and figures, and one second look reads the
 * sentences beside what stands there. Nothing else of an answer is judged.
 */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { ApplyRule } from '../apply-rule.ts';
import type { PromptPicture } from '../generate-answer.ts';
import { lookGroups } from '../verification/look-groups.ts';
import { secondLook } from '../verification/second-look.ts';
import type { Statement, Verdict } from '../verification/statement-verdict.ts';
import type { AnswerSource, AnswerToCompare, ComparedStatement } from './rules/compared-answer.ts';

/** A sentence that is not confirmed, and why; `where` is the answer or the name of a saved file. */
export type AnswerFault = { where: string; text: string; why: string };

/** Where a sentence stands that is in no saved file. */
export const THE_ANSWER = 'the answer';

/** `uncheckedCount`: how many sentences and rows nobody looked at a second time, though code finds nothing wrong with them. */
export type AnswerCheck = { faults: AnswerFault[]; uncheckedCount: number };

/** Undefined if the files are too large to be searched within the limits of a rule. */
export type CheckAnswer = (answer: CheckedAnswer) => Promise<AnswerCheck | undefined>;

type CheckSetting = {
  applyRule: ApplyRule;
  sources: readonly AnswerSource[];
  /** The pictures of each file, in the order of the files among the sources. */
  pictures: readonly (readonly PromptPicture[])[];
  model: LanguageModelV4;
  verifier: LanguageModelV4 | undefined;
  verifierAcceptsImages: boolean;
  now: number;
  signal: AbortSignal;
};

/** A text without a figure and a citation says nothing that is checked. */
const FIGURE_OR_CITATION = /[\p{Nd}[]/u;

/** What was confirmed once is not looked at again, and neither is what was refused with the same evidence. */
export function answerChecker(setting: CheckSetting): CheckAnswer {
  const confirmed = new Set<string>();
  const refused = new Map<string, string>();
  return async (answer) => {
    const { applyRule, sources } = setting;
    if (!answer.texts.some(({ text }) => FIGURE_OR_CITATION.test(text))) return { faults: [], uncheckedCount: 0 };
    const compared = await applyRule('comparedAnswer', { sources, ...answer });
    if (!compared) return undefined;
    const open = compared.statements.filter((statement) => !confirmed.has(keyOf(statement)));
    const verdicts = await verdictsOn(
      setting,
      statementsToCheck(open.filter((statement) => !refused.has(evidenceKey(statement)))),
    );
    const faults: AnswerFault[] = [];
    let uncheckedCount = compared.left;
    for (const statement of open) {
      const verdict = verdicts.get(keyOf(statement));
      const why = refused.get(evidenceKey(statement)) ?? faultOf(statement, verdict);
      if (why !== undefined) {
        refused.set(evidenceKey(statement), why);
        faults.push({ where: statement.where, text: statement.text, why });
      } else if (verdict) confirmed.add(keyOf(statement));
      else uncheckedCount++;
    }
    return { faults, uncheckedCount };
  };
}

/** What the caller is told of sentences that stay unconfirmed. */
export function checkWarnings({ faults, uncheckedCount }: AnswerCheck): string[] {
  const uncheckedWarning = `Not looked at a second time: ${uncheckedCount} ${uncheckedCount === 1 ? 'sentence or row' : 'sentences or rows'} with figures or places.`;
  return [...faultWarnings(faults), ...(uncheckedCount > 0 ? [uncheckedWarning] : [])];
}

type CheckedAnswer = Pick<AnswerToCompare, 'texts' | 'toolResults' | 'savedNames'>;

/** One call. Rows of a long table that code finds whole come last. */
const MAX_CHECKED = 100;

function statementsToCheck(statements: readonly ComparedStatement[]): ComparedStatement[] {
  const rank = ({ where, unfounded }: ComparedStatement) => (where === THE_ANSWER ? 0 : unfounded.length > 0 ? 1 : 2);
  const ranked = statements.filter(({ missing }) => missing.length === 0).toSorted((a, b) => rank(a) - rank(b));
  return [...new Map(ranked.toReversed().map((statement) => [keyOf(statement), statement])).values()]
    .toReversed()
    .slice(0, MAX_CHECKED);
}

/** A shorter sentence may say something else where something else stands before it. */
const LONG_ENOUGH = 60;

/** A sentence that the answer and a saved file share is looked at once. */
const keyOf = ({ text, context, cited, isUncited }: ComparedStatement): string =>
  JSON.stringify([text, cited, isUncited, text.length < LONG_ENOUGH ? context : '']);

const evidenceKey = (statement: ComparedStatement): string => JSON.stringify([keyOf(statement), statement.quotes]);

/** Text recognition may have missed what only the picture shows. */
const needsPicture = ({ unfounded, quotes }: ComparedStatement): boolean => unfounded.length > 0 || quotes.length === 0;

async function verdictsOn(setting: CheckSetting, statements: readonly ComparedStatement[]) {
  const { model, verifier, verifierAcceptsImages, now, signal } = setting;
  const verdicts = new Map<string, Verdict | undefined>();
  const picturesOf = ({ files, isUncited }: ComparedStatement) =>
    isUncited ? setting.pictures.flat() : files.flatMap((file) => setting.pictures[file] ?? []);
  const isPictured = (statement: ComparedStatement) => needsPicture(statement) && picturesOf(statement).length > 0;
  const pictures = [...new Set(statements.filter(isPictured).flatMap(picturesOf))];
  for (const group of lookGroups({ model, verifier, verifierAcceptsImages, pictures }, statements, isPictured)) {
    const look = { model: group.model, pictures: group.pictures, now, signal };
    const answers = await secondLook({ calls: 0, unusable: 0 }, look, group.looked.map(claimOf));
    for (const [at, statement] of group.looked.entries()) verdicts.set(keyOf(statement), answers[at]);
  }
  return verdicts;
}

const claimOf = ({ text, context, isUncited, quotes }: ComparedStatement): Statement => ({
  claim: {
    text,
    ...(context === undefined ? {} : { context }),
    ...(isUncited ? { uncited: true as const } : {}),
  },
  quotes,
});

const VERDICT_TEXTS = { contradicted: 'the files say something else', not_stated: 'the files do not say it' };

/** Undefined if nothing is wrong. Whoever supports a figure that code does not find names the words that say it. */
function faultOf(
  { missing, unfounded, isUncited, quotes }: ComparedStatement,
  verdict: Verdict | undefined,
): string | undefined {
  if (missing.length > 0) return `there is no such file or place: ${missing.join('; ')}`;
  const isNowhere = unfounded.length > 0 && !isUncited && quotes.length > 0;
  const nowhere = isNowhere ? `${unfounded.join(', ')} stands at none of the cited places` : undefined;
  if (!verdict) return nowhere;
  if (verdict.verdict === 'supported') return verdict.words === undefined ? nowhere : undefined;
  return verdict.why ?? nowhere ?? VERDICT_TEXTS[verdict.verdict];
}

const MAX_WARNINGS = 10;
const MAX_TEXT = 300;

function faultWarnings(faults: readonly AnswerFault[]): string[] {
  const warnings = faults
    .slice(0, MAX_WARNINGS)
    .map(({ where, text, why }) => `Not confirmed by the files, in ${where}: “${shortened(text)}” (${why}).`);
  const more = faults.length - warnings.length;
  return more > 0 ? [...warnings, `Not confirmed by the files: ${more} more.`] : warnings;
}

const shortened = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
