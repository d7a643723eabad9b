/** The entries of a list, of what tables say, what the model answers, and what a second look says of both. */

import type { Basis, FieldResult } from '../../../shared/agents/results/records.ts';
import { isSameValue } from '../compare-values.ts';
import type { Field } from '../field-words.ts';
import { isReadSurely } from '../matching/find-record.ts';
import { oncePerDocument, type ParsedDocument } from '../matching/parsed-document.ts';
import { type FieldFinding, type ListResult, missingResult } from '../record-findings.ts';
import { type ArrayField, pathOf } from '../record-plan.ts';
import { candidatesOf, withCandidates } from '../result-candidates.ts';
import { type AnswerContext, evidenceOf, type Proposal, quoteOf, verdictOn, verdictText } from './answer-context.ts';
import { isRecognized } from './check-proposal.ts';
import { proposedResult } from './decided-field.ts';
import { bestOf, listedField, type Proposals } from './proposals.ts';

export function decidedList(context: AnswerContext, list: ListResult, { proposals }: Proposals): ListResult {
  const { array } = list;
  const answer = listAnswerOf(context, array);
  const listProposals = proposals.filter(({ field }) => isOfList(array, field));
  const isComplete = answer?.as_proposed ? undefined : answer?.complete;
  if (listProposals.length > 0) return proposedList(context, list, { listProposals, isComplete });
  if (answer?.as_proposed && list.entries.length > 0) return withFault(list, answer.complete ? undefined : INCOMPLETE);
  if (list.entries.length > 0) return doubtedList(context, list);
  const none = answer?.complete ? 'The document has no entries of it' : 'The model found no entries of it';
  return { array, entries: [], fault: `${none} in what was read: ${context.read}.` };
}

export const rowText = (row: readonly FieldFinding[]): string =>
  row.flatMap(({ field, result: { value } }) => (value === null ? [] : [`${field.names.at(-1)}: ${value}`])).join(', ');

/** What the model says of a list as a whole; its path may have the sign of the entries. */
const listAnswerOf = ({ answers }: AnswerContext, { names }: ArrayField) =>
  answers
    .flatMap(({ lists }) => lists ?? [])
    .findLast(({ path }) => path === pathOf(names) || path === `${pathOf(names)}.*`);

const isOfList = ({ fields, lists }: ArrayField, field: Field): boolean =>
  fields.includes(field) || lists.some((list) => isSameField(listedField(list), field));

/** `isComplete` is what the model says of the list, if it does. */
type ProposedEntries = { listProposals: readonly Proposal[]; isComplete: boolean | undefined };

function proposedList(
  context: AnswerContext,
  list: ListResult,
  { listProposals, isComplete }: ProposedEntries,
): ListResult {
  const { array } = list;
  const { entries, refused, repeated } = entriesOf(context, list, listProposals);
  const { maxItems = Infinity } = array.node;
  const takenList = { array, entries: numbered(array, [...entries.slice(0, maxItems), ...refused]) };
  if (entries.length > maxItems) return withFault(takenList, 'There are more entries than are taken.');
  if (!context.isWhole) return withFault(takenList, `Only a part of the document was read for it: ${context.read}.`);
  const isLonger = list.entries.length > entries.length && isComplete === undefined;
  if (isComplete === false || isLonger) return withFault(takenList, INCOMPLETE);
  const twice = repeated === 1 ? 'An entry was' : `${repeated} entries were`;
  return withFault(takenList, repeated > 0 ? `${twice} given more often than the document has it.` : undefined);
}

const INCOMPLETE = 'The document has more entries than the model gave.';

const withFault = (list: ListResult, fault: string | undefined): ListResult =>
  fault === undefined ? list : { ...list, fault: list.fault ?? fault };

const isSameField = (a: Field, b: Field): boolean => pathOf(a.names) === pathOf(b.names);

const MAX_ROWS_SHOWN = 3;

/** A table that code took for the list, of which the model says nothing. */
function doubtedList(context: AnswerContext, list: ListResult): ListResult {
  const { array, entries } = list;
  const path = pathOf(array.names);
  const verdict = verdictOn(context, JSON.stringify(['list', path, entries.length]), () => ({
    claim: {
      field: path,
      means: array.node.description ?? array.node.title ?? path,
      value: `${entries.length} entries, the first: ${entries.slice(0, MAX_ROWS_SHOWN).map(rowText).join(' / ')}`,
    },
    quotes: entries.slice(0, MAX_ROWS_SHOWN).flatMap((row) => {
      const candidate = row.find((finding) => finding.candidate)?.candidate;
      return candidate ? [quoteOf(context, evidenceOf(context, candidate))] : [];
    }),
  }));
  if (verdict === undefined || verdict?.verdict === 'supported') return list;
  const reason = `Found in a table, of which the model says nothing; ${verdictText(verdict)}`;
  const toDoubted = ({ result, ...otherParts }: FieldFinding): FieldFinding => ({
    ...otherParts,
    result: result.value === null ? result : { ...result, status: 'unverified', reason },
  });
  return { ...list, entries: entries.map((row) => row.map(toDoubted)) };
}

/** A list is as long as the longest table that is read. */
const MAX_ENTRIES = 2_000;

type EntryGroups = {
  entries: FieldFinding[][];
  /** Those of which no value is left: they become candidates of the list, once the record is finished. */
  refused: FieldFinding[][];
  /** How many were given more often than the document has them. */
  repeated: number;
};

function entriesOf(context: AnswerContext, list: ListResult, listProposals: readonly Proposal[]): EntryGroups {
  const depth = list.array.names.length;
  const byEntry = [...Map.groupBy(listProposals, ({ path }) => path.split('.')[depth] ?? '')]
    .sort(([a], [b]) => Number(a) - Number(b))
    .slice(0, MAX_ENTRIES);
  const groups: EntryGroups = { entries: [], refused: [], repeated: 0 };
  const { entries } = groups;
  const unmatchedRows = new Set(list.entries);
  for (const [, proposals] of byEntry) {
    const byPath = Map.groupBy(proposals, ({ path }) => path);
    const bestProposals = [...byPath.values()].flatMap((values) => bestOf(context, values) ?? []);
    const matchingRow = sameEntry(context, unmatchedRows, bestProposals);
    if (matchingRow) unmatchedRows.delete(matchingRow);
    const row = rowOf(context, list, { proposals: bestProposals, at: entries.length, tableRow: matchingRow ?? [] });
    // What is part of an earlier entry is that entry given twice, unless the document has the line as often.
    const copies = entries.flatMap((earlierRow, at) => (isPartOf(row, earlierRow) ? [at] : []));
    const [firstCopy = 0] = copies;
    if (copies.length >= copiesOf(context, proposals)) {
      entries[firstCopy] = withCandidatesOf(row, entries[firstCopy] ?? []);
      groups.repeated++;
    } else if (row.some(({ result }) => result.value !== null)) entries.push(row);
    else if (row.some(({ result }) => result.candidates.length > 0)) groups.refused.push(row);
  }
  return groups;
}

/** The paths of entries have their numbers in the list. */
const numbered = ({ names }: ArrayField, entries: readonly FieldFinding[][]): FieldFinding[][] =>
  entries.map((row, at) =>
    row.map((cell) => ({
      ...cell,
      result: { ...cell.result, path: cell.result.path.split('.').with(names.length, String(at)).join('.') },
    })),
  );

const lineCountsOf = oncePerDocument(({ parts }: ParsedDocument) => {
  const counts = new Map<string, number>();
  for (const { text } of parts)
    for (const line of text.split('\n')) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return counts;
});

/** How often the document has the lines that the entry is quoted from, such as an article that was bought twice. */
function copiesOf({ request: { parsed } }: AnswerContext, proposals: readonly Proposal[]): number {
  const [quotedEvidence] = proposals.flatMap(({ checked }) => checked.evidence);
  const part = quotedEvidence && parsed.parts[quotedEvidence.located.part];
  // Of what text recognition read, nobody can tell how often it stands there.
  if (!quotedEvidence || isRecognized(part)) return Infinity;
  const counts = lineCountsOf(parsed);
  const lines = quotedEvidence.around.lines.split('\n').map((line) => counts.get(line.trim()) ?? 1);
  return Math.max(1, Math.min(...lines));
}

const isConfirmed = ({ result: { status } }: FieldFinding): boolean =>
  status === 'proven' || status === 'computed' || status === 'judged';

const nameOf = ({ field, nth }: FieldFinding): string => `${field.names.at(-1)} ${nth ?? ''}`;

/** Whether all that holds of a row is the same of another from the same places: one row of a document is not two entries. */
function isPartOf(row: readonly FieldFinding[], other: readonly FieldFinding[]): boolean {
  const confirmedCells = row.filter(isConfirmed);
  const isIn = (cell: FieldFinding) =>
    other.some(
      (otherCell) =>
        otherCell.result.value === cell.result.value &&
        nameOf(otherCell) === nameOf(cell) &&
        isSamePlace(otherCell.result.basis[0], cell.result.basis[0]),
    );
  return confirmedCells.length > 0 && confirmedCells.every(isIn);
}

/** Code quotes a row, and a model some of it. */
const isSamePlace = (a: Basis | undefined, b: Basis | undefined): boolean =>
  a?.from !== undefined && b?.from !== undefined && a.place === b.place && a.from < (b.to ?? 0) && b.from < (a.to ?? 0);

/** What such a row has besides is not lost. */
const withCandidatesOf = (row: readonly FieldFinding[], target: readonly FieldFinding[]): FieldFinding[] =>
  target.map((cell) => {
    const rejectedCell = row.find((rowCell) => nameOf(rowCell) === nameOf(cell) && !isConfirmed(rowCell));
    return rejectedCell ? { ...cell, result: withCandidates(cell.result, candidatesOf(rejectedCell.result)) } : cell;
  });

/** `tableRow` is the row of a table that code read for the entry. */
type EntryProposals = { proposals: readonly Proposal[]; at: number; tableRow: readonly FieldFinding[] };

function rowOf(context: AnswerContext, list: ListResult, { proposals, at, tableRow }: EntryProposals): FieldFinding[] {
  const { array } = list;
  const namingProposal = proposals.find(({ field }) => field.leaf.kind === 'string') ?? proposals[0];
  const isSingle = array.node.items.kind !== 'object';
  const entry =
    isSingle || !namingProposal
      ? undefined
      : `the entry with ${namingProposal.field.names.at(-1)} ${JSON.stringify(namingProposal.checked.value)}`;
  const renumbered = (path: string) => path.split('.').with(array.names.length, String(at)).join('.');
  const cell = (proposal: Proposal, nth?: number): FieldFinding => {
    const { field, path } = proposal;
    const tableCell = sameCell(context, tableRow, proposal);
    const cellField =
      nth === undefined
        ? field
        : (array.lists.find((arrayList) => isSameField(listedField(arrayList), field)) ?? field);
    const result: FieldResult = tableCell
      ? { ...tableCell.result, status: 'proven' }
      : proposedResult(context, proposal, proposal === namingProposal ? undefined : entry);
    return {
      field: cellField,
      result: { ...result, path: renumbered(path) },
      ...(tableCell?.candidate ? { candidate: tableCell.candidate } : {}),
      ...(nth === undefined ? {} : { nth }),
    };
  };
  return [
    ...array.fields.map((field): FieldFinding => {
      const proposal = proposals.find((item) => item.field === field);
      const path = pathOf(field.names.map((name) => (name === '*' ? String(at) : name)));
      return proposal
        ? cell(proposal)
        : { field, result: missingResult(path, 'The model gives no value for it in this entry.') };
    }),
    ...array.lists.flatMap((list): FieldFinding[] => {
      const valueProposals = proposals.filter(({ field }) => isSameField(field, listedField(list)));
      const path = pathOf(list.names.map((name) => (name === '*' ? String(at) : name)));
      if (valueProposals.length === 0)
        return [{ field: list, result: missingResult(path, 'The model gives no values for it in this entry.') }];
      const validProposals = valueProposals.filter(({ checked }) => checked.fault === undefined);
      return (validProposals.length > 0 ? validProposals : valueProposals.slice(0, 1)).map((proposal, nth) => {
        const finding = cell(proposal, nth);
        return { ...finding, result: { ...finding.result, path: `${path}.${nth}` } };
      });
    }),
  ];
}

/** The row of a table that code read most of these values from; the values of one entry stand in one row. */
function sameEntry(
  context: AnswerContext,
  rows: ReadonlySet<FieldFinding[]>,
  proposals: readonly Proposal[],
): FieldFinding[] | undefined {
  const counts = [...rows].map((entry) => ({
    entry,
    count: proposals.filter((proposal) => sameCell(context, entry, proposal)).length,
  }));
  const maxCount = Math.max(0, ...counts.map(({ count }) => count));
  return maxCount === 0 ? undefined : counts.find(({ count }) => count === maxCount)?.entry;
}

/** The cell that code read the same value of the same column from, on the line of the quote. */
function sameCell(
  { request: { parsed } }: AnswerContext,
  entry: readonly FieldFinding[],
  { field, checked }: Proposal,
): FieldFinding | undefined {
  return entry.find(({ field: cellField, result, candidate }) => {
    if (cellField !== field || !candidate || result.value === null || !isReadSurely(parsed, candidate)) return false;
    const { part, start, text } = candidate.line;
    const isOnLine = checked.evidence.some(
      ({ located }) => located.part === part && located.from < start + text.length && located.to > start,
    );
    return isOnLine && isSameValue(field.leaf, result.value, checked.value);
  });
}
