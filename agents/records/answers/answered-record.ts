/**
 * The record of a document as far as it is known: what labels and tables say, what a model answered, and what a second look said
 * of it. Works from all of that each time it is called, so that nothing is kept between two calls.
 */

import { findRecord, parseVisibleParts, withComputed } from '../matching/find-record.ts';
import type { RejectedProposal } from '../model-answers.ts';
import { type PromptField, toPromptField } from '../prompt-field.ts';
import type { RecordFindings } from '../record-findings.ts';
import { pathOf } from '../record-plan.ts';
import { type StoredFindings, storedFindings } from '../stored-findings.ts';
import type { AnswerContext, AnsweredInput } from './answer-context.ts';
import { decidedField } from './decided-field.ts';
import { decidedList, rowText } from './decided-list.ts';
import { fieldsOf, proposalsIn } from './proposals.ts';

export type AnsweredRecord = Pick<AnswerContext, 'toLook'> & {
  fields: PromptField[];
  /** What labels and tables say, as the model is shown it. */
  proposed: string[];
  /** The proposals of the model that do not hold so far. */
  rejected: RejectedProposal[];
  findings: StoredFindings;
};

export function answeredRecord(input: AnsweredInput): AnsweredRecord {
  const { plan, parts, document, answers } = input;
  const parsed = parseVisibleParts(parts);
  const whole = findRecord({ plan, parsed, document });
  const [entry] = whole.entries ?? [];
  const stated = entry ?? whole;
  const request = { plan: (entry && plan.entry) ?? plan, parsed, document };
  const context: AnswerContext = { ...input, request, toLook: [], rejected: [] };
  const completedFindings = answers.length === 0 ? stated : withComputed(request, toDecidedFindings(context, stated));
  return {
    fields: fieldsOf(request.plan).map(toPromptField),
    proposed: proposalLines(stated),
    rejected: context.rejected,
    toLook: context.toLook,
    findings: storedFindings(entry ? { ...whole, entries: [completedFindings] } : completedFindings),
  };
}

function toDecidedFindings(context: AnswerContext, stated: RecordFindings): RecordFindings {
  const proposals = proposalsIn(context);
  return {
    single: stated.single.map((finding) => decidedField(context, finding, proposals.byPath.get(finding.result.path))),
    lists: stated.lists.map((list) => decidedList(context, list, proposals)),
  };
}

const MAX_SHOWN = 100;

/** What labels and tables say, as the model is shown it. */
function proposalLines({ single, lists }: RecordFindings): string[] {
  const values = single.flatMap(({ result: { path, value, candidates, status } }) =>
    value !== null
      ? [{ path, value }]
      : status === 'conflict'
        ? candidates.map((candidate) => ({ path, value: candidate.value }))
        : [],
  );
  const tables = lists.flatMap(({ array, entries }) => {
    const [firstRow] = entries;
    if (!firstRow) return [];
    const columns = Object.fromEntries(
      firstRow.flatMap(({ field, candidate }) =>
        candidate?.column === undefined ? [] : [[field.names.at(-1) ?? '', candidate.column]],
      ),
    );
    return [
      {
        list: pathOf(array.names),
        entries: entries.length,
        columns,
        first: rowText(firstRow),
        last: rowText(entries.at(-1) ?? []),
      },
    ];
  });
  return [...values.slice(0, MAX_SHOWN), ...tables].map((proposal) => JSON.stringify(proposal));
}
