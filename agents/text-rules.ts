/**
 * The program of the rules that read texts of strangers, as the threads load it: plain data in, plain data out. Outside it,
 * nothing imports the folders of these rules; agents name them to `ruleApplier` in apply-rule.ts. It brings the writers of
 * files along.
 */
import { excerptOf } from '../engines/retrieval/excerpt.ts';
import { bestSentences, leadingPassages, rankTexts, searchPassages } from '../engines/retrieval/search.ts';
import { comparedAnswer } from './chat/rules/compared-answer.ts';
import { FILE_WRITERS } from './file-writers.ts';
import { unfoundedInItems } from './notification/rules/unfounded-in-items.ts';
import { citedPlaces } from './processing/rules/cited-places.ts';
import { readableShare } from './processing/rules/quality.ts';
import { answeredRecord } from './records/answers/answered-record.ts';
import { namedValues } from './records/matching/named-rules.ts';
import { statedRecord } from './records/matching/stated-record.ts';
import { locatedNotes } from './research/rules/located-notes.ts';
import { weighedStatements } from './research/rules/weighed-statements.ts';
import { locateQuotes } from './verification/evidence/quotes.ts';

export const TEXT_RULES = {
  answeredRecord,
  bestSentences,
  citedPlaces,
  excerptOf,
  leadingPassages,
  locatedNotes,
  locateQuotes,
  namedValues,
  rankTexts,
  readableShare,
  searchPassages,
  statedRecord,
  comparedAnswer,
  unfoundedInItems,
  weighedStatements,
  ...FILE_WRITERS,
} as const;

export type TextRules = typeof TEXT_RULES;
