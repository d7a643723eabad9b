/**
 * The second look: a model that sees statements and quotes, and not the prompt of the one who wrote them, says of each
 * statement whether its quotes support it.
 */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { PromptPicture } from '../generate-answer.ts';
import { secondLookRules } from '../prompts/verification.ts';
import { type AnswerCounts, countedAnswer } from '../structured-answer.ts';
import { falseStatement } from './control-statement.ts';
import { numberedQuotes } from './numbered-quotes.ts';
import { type Quote, type Statement, VERDICTS, type Verdict } from './statement-verdict.ts';

const verdicts = v.object({
  verdicts: v.array(
    v.object({
      number: v.number(),
      verdict: v.picklist(VERDICTS),
      words: v.nullish(v.string()),
      why: v.nullish(v.string()),
      wrong_figures: v.nullish(v.array(v.number())),
    }),
  ),
});

const MAX_STATEMENTS = 100;
const ANSWER_TOKENS = 12_000;
const MAX_WORDS = 200;

export type SecondLook = {
  model: LanguageModelV4;
  now: number;
  signal: AbortSignal;
  /** What the statements are meant to be about, where documents may be about something else. */
  about?: string | undefined;
  /** Of pages whose text says too little. */
  pictures?: readonly PromptPicture[];
};

/**
 * The verdict on each statement; undefined where there is none, also because the second look agreed twice to a statement that
 * code had made false.
 */
export async function secondLook(
  counts: AnswerCounts,
  look: SecondLook,
  statements: readonly Statement[],
): Promise<(Verdict | undefined)[]> {
  const groups = Array.from({ length: Math.ceil(statements.length / MAX_STATEMENTS) }, (_, at) =>
    statements.slice(at * MAX_STATEMENTS, (at + 1) * MAX_STATEMENTS),
  );
  const answers = await Promise.all(
    groups.map(async (group) => (await lookOnce(counts, look, { group, round: 0 })) ?? group.map(() => undefined)),
  );
  return answers.flat();
}

/** A call that agrees to the false statement among its statements counts for nothing, and is asked again with another one. */
const MAX_ROUNDS = 2;

type Round = { group: readonly Statement[]; round: number };

async function lookOnce(
  counts: AnswerCounts,
  look: SecondLook,
  { group, round }: Round,
): Promise<(Verdict | undefined)[] | undefined> {
  const { now, about, ...looking } = look;
  const { control, at } = falseStatement(group, round);
  const answer = await countedAnswer(counts, {
    ...looking,
    rules: secondLookRules(now).join('\n'),
    messages: [
      ...(about === undefined ? [] : [`About:\n${JSON.stringify({ about })}`]),
      ...messagesOf(group.toSpliced(at, 0, control)),
    ],
    schema: verdicts,
    answerTokens: ANSWER_TOKENS,
  });
  if (!answer) return undefined;
  const byNumber = new Map(answer.verdicts.map(({ number, ...verdict }) => [number, verdict]));
  const isFooled = byNumber.get(at + 1)?.verdict === 'supported';
  if (isFooled) return round + 1 < MAX_ROUNDS ? lookOnce(counts, look, { group, round: round + 1 }) : undefined;
  return group.map((statement, nth) => verdictOf(statement, byNumber.get(nth < at ? nth + 1 : nth + 2)));
}

type AnsweredVerdict = v.InferOutput<typeof verdicts>['verdicts'][number];

/** Words that do not stand in what was shown are not passed on. */
function verdictOf({ quotes }: Statement, answered: Omit<AnsweredVerdict, 'number'> | undefined): Verdict | undefined {
  if (!answered) return undefined;
  const { verdict, words, why, wrong_figures: wrongFigures } = answered;
  const short = (text: string | null | undefined) => text?.trim().slice(0, MAX_WORDS).toWellFormed() ?? '';
  return {
    verdict,
    ...(isInQuotes(quotes, short(words)) ? { words: short(words) } : {}),
    ...(short(why) === '' ? {} : { why: short(why) }),
    ...(wrongFigures?.length ? { wrongFigures } : {}),
  };
}

const foldedWords = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function isInQuotes(quotes: readonly Quote[], words: string): boolean {
  const folded = foldedWords(words);
  return (
    folded !== '' && foldedWords(quotes.flatMap((quote) => Object.values(quote).flat()).join(' ')).includes(folded)
  );
}

function messagesOf(statements: readonly Statement[]): string[] {
  const quotes = numberedQuotes();
  const numbered = statements.map(({ claim, quotes: cited }, at) =>
    JSON.stringify({ number: at + 1, ...claim, quotes: [...new Set(cited.map(quotes.numberOf))] }),
  );
  return [`Quotes:\n${quotes.lines()}`, `Statements:\n${numbered.join('\n')}`];
}
