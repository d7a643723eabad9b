/** The entries of a list, of what tables say, what the model answers, and what a second look says of both. */

import { isSameValue } from '../compare-values.ts';
import type { Field } from '../field-words.ts';
import { isReadSurely } from '../matching/find-record.ts';
import { oncePerPaper, type Paper } from '../matching/lines.ts';
import {
  type ArrayField,
  type Basis,
  type FieldResult,
  type FoundField,
  type ListResult,
  missing,
  pathOf,
} from '../record-plan.ts';
import { isRecognized } from './check-proposal.ts';
import { candidatesOf, proposedResult, withCandidates } from './decided-field.ts';
import { evidenceOf, type Look, type Proposal, quoteOf, verdictOn, verdictText } from './look.ts';
import { bestOf, listedField, type Proposals } from './proposals.ts';

/** What the model says of a list as a whole; its path may have the sign of the entries. */
const listAnswerOf = ({ answers }: Look, { names }: ArrayField) =>
  answers
    .flatMap(({ lists }) => lists ?? [])
    .findLast(({ path }) => path === pathOf(names) || path === `${pathOf(names)}.*`);

export function decidedList(look: Look, list: ListResult, { all }: Proposals): ListResult {
  const { array } = list;
  const answer = listAnswerOf(look, array);
  const own = all.filter(({ field }) => isOfList(array, field));
  const isComplete = answer?.as_proposed ? undefined : answer?.complete;
  if (own.length > 0) return proposedList(look, list, { own, isComplete });
  if (answer?.as_proposed && list.entries.length > 0) return withFault(list, answer.complete ? undefined : INCOMPLETE);
  if (list.entries.length > 0) return doubtedList(look, list);
  const none = answer?.complete ? 'The document has no entries of it' : 'The model found no entries of it';
  return { array, entries: [], fault: `${none} in what was read: ${look.read}.` };
}

const isOfList = ({ fields, lists }: ArrayField, field: Field): boolean =>
  fields.includes(field) || lists.some((list) => isSameField(listedField(list), field));

/** `isComplete` is what the model says of the list, if it does. */
type ProposedEntries = { own: readonly Proposal[]; isComplete: boolean | undefined };

function proposedList(look: Look, list: ListResult, { own, isComplete }: ProposedEntries): ListResult {
  const { array } = list;
  const { entries, refused, repeated } = entriesOf(look, list, own);
  const { maxItems = Infinity } = array.node;
  const taken = { array, entries: numbered(array, [...entries.slice(0, maxItems), ...refused]) };
  if (entries.length > maxItems) return withFault(taken, 'There are more entries than are taken.');
  if (!look.isWhole) return withFault(taken, `Only a part of the document was read for it: ${look.read}.`);
  const isLonger = list.entries.length > entries.length && isComplete === undefined;
  if (isComplete === false || isLonger) return withFault(taken, INCOMPLETE);
  const twice = repeated === 1 ? 'An entry was' : `${repeated} entries were`;
  return withFault(taken, repeated > 0 ? `${twice} given more often than the document has it.` : undefined);
}

const INCOMPLETE = 'The document has more entries than the model gave.';

const withFault = (list: ListResult, fault: string | undefined): ListResult =>
  fault === undefined ? list : { ...list, fault: list.fault ?? fault };

const isSameField = (a: Field, b: Field): boolean => pathOf(a.names) === pathOf(b.names);

const MAX_ROWS_SHOWN = 3;

/** A table that code took for the list, of which the model says nothing. */
function doubtedList(look: Look, list: ListResult): ListResult {
  const { array, entries } = list;
  const path = pathOf(array.names);
  const verdict = verdictOn(look, JSON.stringify(['list', path, entries.length]), () => ({
    claim: {
      field: path,
      means: array.node.description ?? array.node.title ?? path,
      value: `${entries.length} entries, the first: ${entries.slice(0, MAX_ROWS_SHOWN).map(rowText).join(' / ')}`,
    },
    quotes: entries.slice(0, MAX_ROWS_SHOWN).flatMap((row) => {
      const found = row.find((one) => one.found)?.found;
      return found ? [quoteOf(look, evidenceOf(look, found))] : [];
    }),
  }));
  if (verdict === undefined || verdict?.verdict === 'supported') return list;
  const reason = `Found in a table, of which the model says nothing; ${verdictText(verdict)}`;
  const doubted = ({ result, ...found }: FoundField): FoundField => ({
    ...found,
    result: result.value === null ? result : { ...result, status: 'unverified', reason },
  });
  return { ...list, entries: entries.map((row) => row.map(doubted)) };
}

export const rowText = (row: readonly FoundField[]): string =>
  row.flatMap(({ field, result: { value } }) => (value === null ? [] : [`${field.names.at(-1)}: ${value}`])).join(', ');

/** A list is as long as the longest table that is read. */
const MAX_ENTRIES = 2_000;

type GivenEntries = {
  entries: FoundField[][];
  /** Those of which no value is left: they become candidates of the list, once the record is finished. */
  refused: FoundField[][];
  /** How many were given more often than the document has them. */
  repeated: number;
};

function entriesOf(look: Look, list: ListResult, own: readonly Proposal[]): GivenEntries {
  const depth = list.array.names.length;
  const byEntry = [...Map.groupBy(own, ({ path }) => path.split('.')[depth] ?? '')]
    .sort(([a], [b]) => Number(a) - Number(b))
    .slice(0, MAX_ENTRIES);
  const given: GivenEntries = { entries: [], refused: [], repeated: 0 };
  const { entries } = given;
  const left = new Set(list.entries);
  for (const [, proposals] of byEntry) {
    const byPath = Map.groupBy(proposals, ({ path }) => path);
    const all = [...byPath.values()].flatMap((values) => bestOf(look, values) ?? []);
    const found = sameEntry(look, left, all);
    if (found) left.delete(found);
    const row = rowOf(look, list, { all, at: entries.length, found: found ?? [] });
    // What is part of an earlier entry is that entry given twice, unless the document has the line as often.
    const same = entries.flatMap((other, at) => (isPartOf(row, other) ? [at] : []));
    const [first = 0] = same;
    if (same.length >= copiesOf(look, proposals)) {
      entries[first] = withCandidatesOf(row, entries[first] ?? []);
      given.repeated++;
    } else if (row.some(({ result }) => result.value !== null)) entries.push(row);
    else if (row.some(({ result }) => result.candidates.length > 0)) given.refused.push(row);
  }
  return given;
}

/** The paths of entries have their numbers in the list. */
const numbered = ({ names }: ArrayField, entries: readonly FoundField[][]): FoundField[][] =>
  entries.map((row, at) =>
    row.map((cell) => ({
      ...cell,
      result: { ...cell.result, path: cell.result.path.split('.').with(names.length, String(at)).join('.') },
    })),
  );

const linesOfPaper = oncePerPaper(({ parts }: Paper) => {
  const counts = new Map<string, number>();
  for (const { text } of parts)
    for (const line of text.split('\n')) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return counts;
});

/** How often the document has the lines that the entry is quoted from, such as an article that was bought twice. */
function copiesOf({ request: { paper } }: Look, proposals: readonly Proposal[]): number {
  const [quoted] = proposals.flatMap(({ checked }) => checked.evidence);
  const part = quoted && paper.parts[quoted.located.part];
  // Of what text recognition read, nobody can tell how often it stands there.
  if (!quoted || isRecognized(part)) return Infinity;
  const counts = linesOfPaper(paper);
  const lines = quoted.around.lines.split('\n').map((line) => counts.get(line.trim()) ?? 1);
  return Math.max(1, Math.min(...lines));
}

const holds = ({ result: { status } }: FoundField): boolean =>
  status === 'proven' || status === 'computed' || status === 'judged';

const nameOf = ({ field, nth }: FoundField): string => `${field.names.at(-1)} ${nth ?? ''}`;

/** Whether all that holds of a row is the same of another from the same places: one row of a document is not two entries. */
function isPartOf(row: readonly FoundField[], other: readonly FoundField[]): boolean {
  const own = row.filter(holds);
  const isIn = (cell: FoundField) =>
    other.some(
      (one) =>
        one.result.value === cell.result.value &&
        nameOf(one) === nameOf(cell) &&
        isSamePlace(one.result.basis[0], cell.result.basis[0]),
    );
  return own.length > 0 && own.every(isIn);
}

/** Code quotes a row, and a model some of it. */
const isSamePlace = (a: Basis | undefined, b: Basis | undefined): boolean =>
  a?.from !== undefined && b?.from !== undefined && a.place === b.place && a.from < (b.to ?? 0) && b.from < (a.to ?? 0);

/** What such a row has besides is not lost. */
const withCandidatesOf = (row: readonly FoundField[], other: readonly FoundField[]): FoundField[] =>
  other.map((cell) => {
    const more = row.find((one) => nameOf(one) === nameOf(cell) && !holds(one));
    return more ? { ...cell, result: withCandidates(cell.result, candidatesOf(more.result)) } : cell;
  });

/** `found` is the row of a table that code read for the entry. */
type EntryProposals = { all: readonly Proposal[]; at: number; found: readonly FoundField[] };

function rowOf(look: Look, list: ListResult, { all, at, found }: EntryProposals): FoundField[] {
  const { array } = list;
  const named = all.find(({ field }) => field.leaf.kind === 'string') ?? all[0];
  const isSingle = array.node.items.kind !== 'object';
  const entry =
    isSingle || !named
      ? undefined
      : `the entry with ${named.field.names.at(-1)} ${JSON.stringify(named.checked.value)}`;
  const renumbered = (path: string) => path.split('.').with(array.names.length, String(at)).join('.');
  const cell = (proposal: Proposal, nth?: number): FoundField => {
    const { field, path } = proposal;
    const same = sameCell(look, found, proposal);
    const listed =
      nth === undefined ? field : (array.lists.find((one) => isSameField(listedField(one), field)) ?? field);
    const result: FieldResult = same
      ? { ...same.result, status: 'proven' }
      : proposedResult(look, proposal, proposal === named ? undefined : entry);
    return {
      field: listed,
      result: { ...result, path: renumbered(path) },
      ...(same?.found ? { found: same.found } : {}),
      ...(nth === undefined ? {} : { nth }),
    };
  };
  return [
    ...array.fields.map((field): FoundField => {
      const proposal = all.find((one) => one.field === field);
      const path = pathOf(field.names.map((name) => (name === '*' ? String(at) : name)));
      return proposal
        ? cell(proposal)
        : { field, result: missing(path, 'The model gives no value for it in this entry.') };
    }),
    ...array.lists.flatMap((list): FoundField[] => {
      const own = all.filter(({ field }) => isSameField(field, listedField(list)));
      const path = pathOf(list.names.map((name) => (name === '*' ? String(at) : name)));
      if (own.length === 0)
        return [{ field: list, result: missing(path, 'The model gives no values for it in this entry.') }];
      const standing = own.filter(({ checked }) => checked.fault === undefined);
      return (standing.length > 0 ? standing : own.slice(0, 1)).map((proposal, nth) => {
        const found = cell(proposal, nth);
        return { ...found, result: { ...found.result, path: `${path}.${nth}` } };
      });
    }),
  ];
}

/** The row of a table that code read most of these values from; the values of one entry stand in one row. */
function sameEntry(look: Look, left: ReadonlySet<FoundField[]>, all: readonly Proposal[]): FoundField[] | undefined {
  const counts = [...left].map((entry) => ({
    entry,
    count: all.filter((proposal) => sameCell(look, entry, proposal)).length,
  }));
  const most = Math.max(0, ...counts.map(({ count }) => count));
  return most === 0 ? undefined : counts.find(({ count }) => count === most)?.entry;
}

/** The cell that code read the same value of the same column from, on the line of the quote. */
function sameCell(
  { request: { paper } }: Look,
  entry: readonly FoundField[],
  { field, checked }: Proposal,
): FoundField | undefined {
  return entry.find(({ field: own, result, found }) => {
    if (own !== field || !found || result.value === null || !isReadSurely(paper, found)) return false;
    const { part, start, text } = found.line;
    const isOnLine = checked.evidence.some(
      ({ located }) => located.part === part && located.from < start + text.length && located.to > start,
    );
    return isOnLine && isSameValue(field.leaf, result.value, checked.value);
  });
}
