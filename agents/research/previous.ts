/** Starts a research from an earlier one of the same organization: its notes, and the kept texts of the sources that it cites. */

import { isOffline } from '../../engines/models/offline.ts';
import { isInScope, scopeOf } from '../../shared/agents/research-input.ts';
import { taskIdIn } from '../../shared/core/ids.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { readStored } from '../../shared/files/reading.ts';
import type { Snapshots } from '../../shared/tasks/agent.ts';
import { readWithDetails, resultOf } from '../../shared/tasks/details.ts';
import type { TaskAddress } from '../../shared/tasks/rows.ts';
import { evidenceOf, heldCitations, takeIn } from './findings.ts';
import type { ResearchResults } from './results.ts';
import { closestPart, countIn, PRESENT, searchFor } from './search.ts';
import type { ResearchSetting } from './stages.ts';
import type { Chosen, Gathering, ResearchState } from './state.ts';

/** Takes over what the earlier research found, as far as it is about the question. Without results, research goes on without them. */
export async function loadPrevious(
  setting: ResearchSetting,
  known: ResearchState,
  { organization }: TaskAddress,
): Promise<void> {
  const { ports, wish, input } = setting;
  const shownTask = input.asked.previous_task_id;
  if (shownTask == null) return;
  const address = { organization, taskId: taskIdIn(shownTask) };
  const { row } = await readWithDetails(ports.table, address);
  const report = row && (await resultOf(ports.table, address, row.value))?.report;
  const texts = report?.snapshots && report.snapshots !== 'off' ? await textsIn(ports, report.snapshots) : undefined;
  known.previous = { isGone: texts === undefined, items: [], findings: [] };
  if (!report || !texts) return;
  const { documents = [], findings = [] } = report.results as Partial<ResearchResults>;
  const search = searchFor({ query: wish.query, places: [], queries: [] });
  const isAbout = (text: string) => {
    const { best } = countIn(text, search.lexicon);
    return [...search.main].some((term) => (best.get(term) ?? 0) >= PRESENT);
  };
  // Without a model only quotes are published, also of a research that had one.
  const notes = findings.filter(
    ({ text, is_quote: isQuote, computed }) =>
      computed === undefined && isAbout(text) && (isQuote || !isOffline(input.model)),
  );
  const noted = new Set(notes.flatMap(({ citations }) => citations.map(({ document }) => document)));
  const scope = scopeOf(input.asked, ports.clock.now());
  for (const { source: document, url, fetchedAt, text } of texts) {
    const own = documents.find((one) => one.document === document);
    const publishedAt = own?.published_at ?? undefined;
    if (!isInScope({ url, publishedAt }, scope)) continue;
    known.previous.items.push({
      ...{ source: own?.source ?? 'earlier research', address: url, title: own?.title ?? url, text },
      ...definedFields({ publishedAt }),
      isSample: own?.sample_data ?? false,
      earlier: {
        ...{ task_id: shownTask, document, fetchedAt, isNeeded: noted.has(document) },
        textBy: own?.text_by ?? 'source',
      },
    });
  }
  known.previous.findings = notes;
}

/** One read for all texts. Undefined if they are gone. */
async function textsIn({ blobs }: Pick<ResearchSetting['ports'], 'blobs'>, { bytesAt, texts }: Snapshots) {
  const whole = { from: 0, to: Math.max(0, ...texts.map(({ to }) => to)) };
  const bytes = await readStored(blobs, { storedAt: bytesAt }, whole);
  return bytes && texts.map((one) => ({ ...one, text: bytes.subarray(one.from, one.to).toString('utf8') }));
}

/** A hit on a page that the earlier research read is that reading: it is not fetched again. The first round has all readings. */
export function withPrevious(known: ResearchState, items: readonly Gathering[], isFirst: boolean): Gathering[] {
  const kept = known.previous?.items ?? [];
  if (kept.length === 0) return [...items];
  const [found, own] = [items, kept].map((all) => new Set(all.map(({ address }) => address))) as [
    Set<string>,
    Set<string>,
  ];
  const readings = kept.filter(({ address }) => isFirst || found.has(address));
  return [
    ...items.filter(({ address }) => !own.has(address)),
    ...readings.map((one) =>
      one.earlier && found.has(one.address) ? { ...one, earlier: { ...one.earlier, isNeeded: true } } : one,
    ),
  ];
}

/** Takes over the notes whose documents are all among the chosen ones. */
export function takePrevious({ wish }: ResearchSetting, known: ResearchState): void {
  const { previous, documents } = known;
  if (!previous) return;
  const ownOf = new Map(documents.flatMap((one) => (one.previous ? [[one.previous.document, one] as const] : [])));
  dropChosen(known);
  const evidence = evidenceOf(documents.filter((one: Chosen) => one.previous));
  const closest = closestPart((known.plan?.subQuestions ?? []).map(({ text }) => text));
  const titles = new Set(wish.deliverables.map(({ title }) => title));
  const notes = previous.findings.flatMap(({ finding: _, ...note }) => {
    const own = note.citations.flatMap(({ document, quote }) => {
      const chosen = ownOf.get(document);
      return chosen ? [{ document: chosen.document, quote, relevance: chosen.relevance }] : [];
    });
    const citations = heldCitations(own, evidence);
    if (citations.length < note.citations.length) return [];
    const score = 0.4 + 0.6 * Math.max(...own.map(({ relevance }) => relevance));
    const topics = note.topics.filter((title) => titles.has(title));
    return [{ ...note, citations, topics, score, sub_question: closest(note.text) }];
  });
  takeIn(known, notes, wish);
}

/** The texts that are not read yet stay, in case a search finds them. */
export function dropChosen({ previous, documents }: ResearchState): void {
  if (!previous) return;
  const chosen = new Set(documents.map((one) => one.previous?.document));
  previous.items = previous.items.filter(({ earlier }) => !chosen.has(earlier?.document));
}

const MAX_NOTES = 40;
const MAX_NOTE = 300;

/** What a planner is told of the earlier research, each on one line. */
export const earlierNotes = ({ previous }: ResearchState): string[] =>
  (previous?.findings ?? []).slice(0, MAX_NOTES).map(({ text }) =>
    text
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .slice(0, MAX_NOTE)
      .toWellFormed(),
  );
