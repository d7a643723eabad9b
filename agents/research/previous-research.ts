/** Starts a research from an earlier one: from its notes, and the kept texts of the sources that it cites. */

import { indexedWords, STOP_WORDS, stem } from '../../engines/retrieval/words.ts';
import { isInScope, scopeOf } from '../../shared/agents/research-scope.ts';
import type { ResearchResults } from '../../shared/agents/results/research.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { readStored } from '../../shared/files/reading-format.ts';
import type { Blobs, Table } from '../../shared/ports.ts';
import { readWithDetails } from '../../shared/tasks/details.ts';
import { resultOf } from '../../shared/tasks/results.ts';
import { taskIdIn } from '../../shared/tasks/rows.ts';
import { locateNotes } from './code-check.ts';
import { mergeProposed, type ProposedFinding } from './findings.ts';
import type { PreviousResearch, RankedState } from './pipeline-states.ts';
import type { ChosenDocument, GatheredItem } from './research-request.ts';
import type { ReadEarlierResearch, StageRun } from './stages.ts';

export const earlierResearch =
  ({ table, blobs }: { table: Table; blobs: Pick<Blobs, 'read'> }): ReadEarlierResearch =>
  async (address) => {
    const { row } = await readWithDetails(table, address);
    const report = row && (await resultOf(table, address, row.value))?.report;
    if (!report?.snapshots || report.snapshots === 'off') return undefined;
    const { bytesAt, texts } = report.snapshots;
    // One read for all texts.
    const whole = { from: 0, to: Math.max(0, ...texts.map(({ to }) => to)) };
    const bytes = await readStored(blobs, { storedAt: bytesAt }, whole);
    if (!bytes) return undefined;
    const { documents = [], findings = [] } = report.results as Partial<ResearchResults>;
    const withText = texts.map((snapshot) => ({
      ...snapshot,
      text: bytes.subarray(snapshot.from, snapshot.to).toString('utf8'),
    }));
    return { documents, findings, texts: withText };
  };

/** What the earlier research found, if the request names one. Without its results, research goes on without them. */
export async function loadPrevious({ ports, request, input, work }: StageRun): Promise<PreviousResearch | undefined> {
  const shownTask = input.asked.previous_task_id;
  if (shownTask == null) return undefined;
  const { organization } = work.address;
  const earlier = await ports.earlierResearch({ organization, taskId: taskIdIn(shownTask) });
  if (!earlier) return { isGone: true, items: [], findings: [] };
  const { documents, findings, texts } = earlier;
  // Without a model only quotes are published, also of a research that had one.
  const notes = findings.filter(
    ({ is_quote: isQuote, computed }) => computed === undefined && (request.hasModel || isQuote),
  );
  const scope = scopeOf(input.asked, ports.clock.now());
  const items = texts.flatMap(({ source: document, url, fetchedAt, text }): GatheredItem[] => {
    const origin = documents.find((source) => source.document === document);
    const publishedAt = origin?.published_at ?? undefined;
    if (!isInScope({ url, publishedAt }, scope)) return [];
    return [
      {
        source: origin?.source ?? 'earlier research',
        address: url,
        title: origin?.title ?? url,
        text,
        ...definedFields({ publishedAt }),
        isSample: origin?.sample_data ?? false,
        earlier: {
          task_id: shownTask,
          document,
          fetchedAt,
          isFound: false,
          textBy: origin?.text_by ?? 'source',
        },
      },
    ];
  });
  return { isGone: false, items, findings: notes };
}

/** A hit on a page that the earlier research read is that reading: it is not fetched again. */
export function withPrevious(previous: PreviousResearch | undefined, items: readonly GatheredItem[]): GatheredItem[] {
  const readings = previous?.items ?? [];
  const [foundAddresses, keptAddresses] = [items, readings].map(
    (entries) => new Set(entries.map(({ address }) => address)),
  );
  return [
    ...items.filter(({ address }) => !keptAddresses?.has(address)),
    ...readings.map((reading) =>
      reading.earlier && foundAddresses?.has(reading.address)
        ? { ...reading, earlier: { ...reading.earlier, isFound: true } }
        : reading,
    ),
  ];
}

/** Takes over the notes whose documents are all among the chosen ones, and whose quotes stand there. */
export async function addPreviousFindings(state: RankedState, run: StageRun): Promise<RankedState> {
  const { request } = run;
  const { previous, documents } = state;
  if (!previous) return state;
  const chosenOf = new Map(
    documents.flatMap((source) => (source.previous ? [[source.previous.document, source] as const] : [])),
  );
  const notes = previous.findings.filter(({ citations }) => citations.every(({ document }) => chosenOf.has(document)));
  const numberOf = (document: number) => chosenOf.get(document)?.document ?? 0;
  const quotesOf = (note: (typeof notes)[number]) =>
    note.citations.map(({ document, quote }) => ({ document: numberOf(document), quote }));
  const quoted = notes.map((note) => ({ text: note.text, quotes: quotesOf(note), formulas: [], figures: [] }));
  const located = await locateNotes(run, [...chosenOf.values()], quoted);
  const closest = closestPart(state.plan.subQuestions.map(({ text }) => text));
  const titles = new Set(request.deliverables.map(({ title }) => title));
  const previousFindings = notes.flatMap((note, at): ProposedFinding[] => {
    const { citations = [], fault } = located[at] ?? {};
    if (citations.length < note.citations.length) return [];
    const { finding: _, figures, computed: __, unconfirmed: ___, ...noteFields } = note;
    const relevance = Math.max(...note.citations.map(({ document }) => chosenOf.get(document)?.relevance ?? 0));
    return [
      {
        ...noteFields,
        citations,
        // A model's statement is checked again with the others of this research.
        checked_by: note.is_quote ? 'code' : null,
        topics: note.topics.filter((title) => titles.has(title)),
        ...(fault === undefined || note.is_quote ? {} : { unfounded: fault }),
        score: 0.4 + 0.6 * relevance,
        sub_question: closest(note.text),
        ...(figures ? { figures: figures.map((figure) => ({ ...figure, document: numberOf(figure.document) })) } : {}),
      },
    ];
  });
  return {
    ...state,
    previous: withoutChosen(previous, documents),
    findings: mergeProposed(state.findings, previousFindings, request).findings,
  };
}

/** The texts that are not read yet stay, in case a search finds them. */
export function withoutChosen<Earlier extends PreviousResearch | undefined>(
  previous: Earlier,
  documents: readonly ChosenDocument[],
): Earlier {
  if (!previous) return previous;
  const chosen = new Set(documents.map((document) => document.previous?.document));
  return { ...previous, items: previous.items.filter(({ earlier }) => !chosen.has(earlier?.document)) };
}

const MAX_NOTES = 40;
const MAX_NOTE = 300;

/** The notes of the earlier research for a planner, each on one line. */
export const earlierNotes = (previous: PreviousResearch | undefined): string[] =>
  (previous?.findings ?? []).slice(0, MAX_NOTES).map(({ text }) =>
    text
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .slice(0, MAX_NOTE)
      .toWellFormed(),
  );

const stemsOf = (text: string): Set<string> =>
  new Set(
    indexedWords(text)
      .filter((word) => !STOP_WORDS.has(word))
      .map(stem),
  );

/** Returns a function that gives the share of the question's words that a text has; all of them if it has none. */
function coverageOf(question: string): (text: string) => number {
  const questionStems = stemsOf(question);
  return (text) => {
    if (questionStems.size === 0) return 1;
    const present = stemsOf(text);
    return [...questionStems].filter((word) => present.has(word)).length / questionStems.size;
  };
}

/** Returns a function that gives the number of the part, from 1, whose words a text has most of. */
function closestPart(parts: readonly string[]): (text: string) => number {
  const coverages = parts.map(coverageOf);
  return (text) => {
    const shares = coverages.map((coverage) => coverage(text));
    return Math.max(0, shares.indexOf(Math.max(...shares))) + 1;
  };
}
