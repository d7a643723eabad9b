/** What code alone says of notes and of statements of a report: where quotes stand, and which figures stand there. */

import { citedTexts } from './cited-texts.ts';
import type { NotedState } from './pipeline-states.ts';
import type { StatementJudgement } from './report-model.ts';
import type { ReportStatement } from './report-statements.ts';
import type { ChosenDocument } from './research-request.ts';
import type { LocatedNote, ProposedNote } from './rules/located-notes.ts';
import type { CitedStatement, WeighedStatement } from './rules/weighed-statements.ts';
import type { StageRun } from './stages.ts';

/** Each part has a budget of CPU time of its own. */
const ENTRIES_PER_CALL = 25;

/** One answer for each entry, in order; undefined where the rule ended at its limits. */
async function inParts<Entry, Answer>(
  entries: readonly Entry[],
  answersFor: (part: readonly Entry[]) => Promise<readonly Answer[] | undefined>,
): Promise<(Answer | undefined)[]> {
  const answers: (Answer | undefined)[] = [];
  for (let from = 0; from < entries.length; from += ENTRIES_PER_CALL) {
    const part = entries.slice(from, from + ENTRIES_PER_CALL);
    answers.push(...((await answersFor(part)) ?? part.map(() => undefined)));
  }
  return answers;
}

/** What the customer says of the case counts as evidence: quantities, prices and days. */
export const locateNotes = (
  { applyRule, request }: StageRun,
  documents: readonly ChosenDocument[],
  notes: readonly ProposedNote[],
): Promise<(LocatedNote | undefined)[]> =>
  inParts(notes, (part) =>
    applyRule('locatedNotes', { documents: citedTexts(documents), question: request.query, notes: part }),
  );

export const weighStatements = (
  { applyRule, request }: StageRun,
  { documents }: NotedState,
  statements: readonly CitedStatement[],
): Promise<(WeighedStatement | undefined)[]> =>
  inParts(statements, (part) =>
    applyRule('weighedStatements', {
      ...{ documents: citedTexts(documents), question: request.query },
      statements: part.map(({ text, citations, formulas, missing }) => ({
        ...{ text, citations, formulas },
        ...(missing === undefined ? {} : { missing }),
      })),
    }),
  );

/** The judgement is null where a second look has to tell. */
type CodeCheck = Pick<WeighedStatement, 'computed' | 'quotes'> & { judgement: StatementJudgement | null };

/** One for each statement, in order. */
export async function checkByCode(
  run: StageRun,
  state: NotedState,
  statements: readonly ReportStatement[],
): Promise<CodeCheck[]> {
  const missing = state.plan.subQuestions.map(({ text }) => text).join('\n');
  const weighed = await weighStatements(
    run,
    state,
    statements.map((statement) => (statement.kind === 'missing' ? { ...statement, missing } : statement)),
  );
  return statements.map((statement, at) => {
    const { fault, computed, quotes } = weighed[at] ?? { computed: [], quotes: [] };
    const refused = { isConfirmed: false, by: 'code', computed } as const;
    const judgementOf = (): StatementJudgement | null => {
      // The rule ended at its limits.
      if (!weighed[at]) return { ...refused, reason: 'unchecked' };
      if (fault) return { ...refused, reason: fault.reason, why: fault.detail };
      if (quotes.length > 0) return null;
      // Nothing was found that could say it.
      return statement.isOpen
        ? { isConfirmed: true, by: 'code', computed }
        : { ...refused, reason: 'no_citation', why: 'it rests on no finding' };
    };
    return { judgement: judgementOf(), computed, quotes };
  });
}
