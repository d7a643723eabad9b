/** What code alone says of the statements of a report: whether their figures stand at their quotes. */

import type { ApplyRule } from '../text-work.ts';
import { citedTexts } from './cited-texts.ts';
import type { Noted } from './pipeline-states.ts';
import type { ReportStatement } from './report-statements.ts';
import type { WeighedStatement } from './rules/weighed-statements.ts';
import type { ResearchRequest } from './state.ts';
import type { Judgement } from './states.ts';

type CheckRequest = { wish: ResearchRequest; state: Noted; applyRule: ApplyRule };

/** The judgement is null where a second look has to tell. */
export type CodeCheck = Pick<WeighedStatement, 'computed' | 'quotes'> & { judgement: Judgement | null };

/** Each part of the statements has a budget of CPU time of its own. */
const AT_ONCE = 25;

/** One for each statement, in order. */
export async function checkByCode(
  statements: readonly ReportStatement[],
  { wish, state, applyRule }: CheckRequest,
): Promise<CodeCheck[]> {
  const parts = state.plan.subQuestions.map(({ text }) => text).join('\n');
  const weighed: (WeighedStatement | undefined)[] = [];
  for (let from = 0; from < statements.length; from += AT_ONCE) {
    const part = statements.slice(from, from + AT_ONCE);
    const answers = await applyRule('weighedStatements', {
      documents: citedTexts(state.documents),
      // What the customer says of the case counts as evidence: quantities, prices and days.
      asked: wish.query,
      statements: part.map(({ text, citations, formulas, kind }) => ({
        ...{ text, citations, formulas },
        ...(kind === 'missing' ? { missing: parts } : {}),
      })),
    });
    weighed.push(...(answers ?? part.map(() => undefined)));
  }
  return statements.map((statement, at) => {
    const { fault, computed, quotes } = weighed[at] ?? { computed: [], quotes: [] };
    const refused = { isConfirmed: false, by: 'code', computed } as const;
    const judgementOf = (): Judgement | null => {
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
