/**
 * The record of a document as far as it is known: what labels and tables say, what a model answered, and what a second look said
 * of it. Works from all of that each time it is called, so that nothing is kept between two calls.
 */

import { findRecord, paperOfParts, withComputed } from '../matching/find-record.ts';
import { type StoredFindings, storedFindings } from '../merge-findings.ts';
import type { Rejected } from '../model-answers.ts';
import { type AskedField, askedField, type Findings, pathOf } from '../record-plan.ts';
import { decidedField } from './decided-field.ts';
import { decidedList, rowText } from './decided-list.ts';
import type { AnsweredInput, Look } from './look.ts';
import { fieldsOf, proposalsIn } from './proposals.ts';

export type AnsweredRecord = Pick<Look, 'toLook'> & {
  fields: AskedField[];
  /** What labels and tables say, as the model is shown it. */
  proposed: string[];
  /** The proposals of the model that do not hold so far. */
  rejected: Rejected[];
  findings: StoredFindings;
};

export function answeredRecord(input: AnsweredInput): AnsweredRecord {
  const { plan, parts, document, answers } = input;
  const paper = paperOfParts(parts);
  const whole = findRecord({ plan, paper, document });
  const [entry] = whole.entries ?? [];
  const stated = entry ?? whole;
  const request = { plan: (entry && plan.entry) ?? plan, paper, document };
  const look: Look = { ...input, request, toLook: [], rejected: [] };
  const own = answers.length === 0 ? stated : withComputed(request, decided(look, stated));
  return {
    fields: fieldsOf(request.plan).map(askedField),
    proposed: shownProposals(stated),
    rejected: look.rejected,
    toLook: look.toLook,
    findings: storedFindings(entry ? { ...whole, entries: [own] } : own),
  };
}

function decided(look: Look, stated: Findings): Findings {
  const proposals = proposalsIn(look);
  return {
    single: stated.single.map((found) => decidedField(look, found, proposals.byPath.get(found.result.path))),
    lists: stated.lists.map((list) => decidedList(look, list, proposals)),
  };
}

const MAX_SHOWN = 100;

/** What labels and tables say, as the model is shown it. */
function shownProposals({ single, lists }: Findings): string[] {
  const values = single.flatMap(({ result: { path, value, candidates, status } }) =>
    value !== null
      ? [{ path, value }]
      : status === 'conflict'
        ? candidates.map((one) => ({ path, value: one.value }))
        : [],
  );
  const tables = lists.flatMap(({ array, entries }) => {
    const [first] = entries;
    if (!first) return [];
    const columns = Object.fromEntries(
      first.flatMap(({ field, found }) =>
        found?.column === undefined ? [] : [[field.names.at(-1) ?? '', found.column]],
      ),
    );
    return [
      {
        list: pathOf(array.names),
        entries: entries.length,
        columns,
        first: rowText(first),
        last: rowText(entries.at(-1) ?? []),
      },
    ];
  });
  return [...values.slice(0, MAX_SHOWN), ...tables].map((one) => JSON.stringify(one));
}
