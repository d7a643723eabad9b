/** Keeps the texts of the cited sources with the results of a research, reads them again, and starts a later research from them. */

import { createHash } from 'node:crypto';
import { isInScope, scopeOf } from '../../shared/agents/research-input.ts';
import { attachmentHeader } from '../../shared/core/blobs.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { readStored } from '../../shared/files/reading-format.ts';
import type { Blobs, Table } from '../../shared/ports.ts';
import type { Snapshot, Snapshots } from '../../shared/tasks/agent.ts';
import { readWithDetails, resultOf } from '../../shared/tasks/details.ts';
import { shownId, type TaskAddress, taskIdIn } from '../../shared/tasks/rows.ts';
import { keepBytes } from '../runtime.ts';
import { evidenceOf, heldCitations, takeIn } from './findings.ts';
import type { ResearchResults } from './results.ts';
import { closestPart, coverageOf } from './search.ts';
import type { ReadEarlierResearch, ResearchSetting } from './stages.ts';
import type { Chosen, Gathering, ResearchState } from './state.ts';

/** Notes when the text was fetched, and its hash. */
export function markRead(document: Chosen, now: number): void {
  document.status = 'read';
  document.fetched_at ??= new Date(now).toISOString();
  document.sha256 = createHash('sha256').update(keptOf(document)).digest('hex');
}

const MAX_BYTES = 1_000_000;

/** What is kept of a text, cut between two characters. An item of a title alone is its title. */
export function keptOf({ title, text }: Pick<Chosen, 'title' | 'text'>): Buffer {
  const bytes = Buffer.from((text.trim() === '' ? title : text).toWellFormed());
  let end = Math.min(bytes.length, MAX_BYTES);
  // A byte that continues a character begins with the bits 10.
  while (end < bytes.length && ((bytes[end] ?? 0) & 0b1100_0000) === 0b1000_0000) end--;
  return bytes.subarray(0, end);
}

/** Stores all texts in one blob: a task costs one write, whatever it cites. */
export async function keepSnapshots(
  { ports, input }: ResearchSetting,
  address: TaskAddress,
  { results, known }: { results: ResearchResults; known: ResearchState },
): Promise<{ results: ResearchResults; snapshots: Snapshots | 'off' }> {
  if (input.snapshots === false) return { results, snapshots: 'off' };
  const cited = new Set(results.documents.filter((one) => one.cited).map(({ document }) => document));
  const kept: Buffer[] = [];
  const texts: Snapshot[] = [];
  let from = 0;
  for (const document of known.documents) {
    const { document: source, address: url, fetched_at: fetchedAt, sha256 } = document;
    if (!cited.has(source) || fetchedAt === undefined || sha256 === undefined) continue;
    const bytes = keptOf(document);
    kept.push(bytes);
    texts.push({ source, url, fetchedAt, sha256, from, to: from + bytes.length });
    from += bytes.length;
  }
  const bytesAt = texts.length > 0 ? await keepBytes(ports, address, Buffer.concat(kept)) : '';
  const numbers = new Set(texts.map(({ source }) => source));
  const documents = results.documents.map((one) =>
    numbers.has(one.document) ? { ...one, snapshot: pathOf(address, one.document) } : one,
  );
  return { results: { ...results, documents }, snapshots: { bytesAt, texts } };
}

const pathOf = ({ taskId }: TaskAddress, source: number): string =>
  `/api/v1/tasks/${shownId(taskId)}/results/sources/${source}`;

type SnapshotAnswer =
  | { status: 200; headers: Record<string, string>; text: string }
  | { problem: 'notFound'; message: string };

/**
 * Answers `GET /tasks/{task_id}/results/sources/{source}`. Problems are returned, as the agent API on Lambda loads this with the
 * program beside it, which has a class `Problem` of its own.
 */
export async function readSnapshot(
  blobs: Pick<Blobs, 'read'>,
  snapshots: Snapshots | 'off' | undefined,
  source: string,
): Promise<SnapshotAnswer> {
  if (snapshots === 'off') return { problem: 'notFound', message: KEEPS_NONE };
  const snapshot = snapshots?.texts.find((one) => String(one.source) === source);
  const bytes = snapshots && snapshot && (await readStored(blobs, { storedAt: snapshots.bytesAt }, snapshot));
  if (!snapshot || !bytes) return { problem: 'notFound', message: NOT_KEPT };
  return { status: 200, text: bytes.toString('utf8'), headers: headersOf(snapshot) };
}

const KEEPS_NONE =
  'Your organization keeps no texts of sources: the results have the URL, the hash and the quotes of each. Its operator can change that.';
const NOT_KEPT =
  'No text of this source is kept. The field `snapshot` of each document in the results has the path of its text.';

/** The headers of an archived page: RFC 7089 for its URL and time, RFC 9530 for its hash. */
const headersOf = ({ source, url, fetchedAt, sha256 }: Snapshot): Record<string, string> => ({
  'content-type': 'text/plain; charset=utf-8',
  'content-disposition': attachmentHeader(`source-${source}.txt`),
  'memento-datetime': new Date(fetchedAt).toUTCString(),
  'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  // What is escaped in the URL already stays as it is.
  link: `<${encodeURI(url).replaceAll('%25', '%')}>; rel="original"`,
});

// Starting from an earlier research: its notes, and the kept texts of the sources that it cites.

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
    const withText = texts.map((one) => ({ ...one, text: bytes.subarray(one.from, one.to).toString('utf8') }));
    return { documents, findings, texts: withText };
  };

/** Takes over what the earlier research found, as far as it is about the question. Without results, research goes on without them. */
export async function loadPrevious(
  setting: ResearchSetting,
  known: ResearchState,
  { organization }: TaskAddress,
): Promise<void> {
  const { ports, wish, input } = setting;
  const shownTask = input.asked.previous_task_id;
  if (shownTask == null) return;
  const earlier = await ports.earlierResearch({ organization, taskId: taskIdIn(shownTask) });
  known.previous = { isGone: earlier === undefined, items: [], findings: [] };
  if (!earlier) return;
  const { documents, findings, texts } = earlier;
  const coverage = coverageOf(wish.query);
  // Without a model only quotes are published, also of a research that had one: those with words of the question.
  const notes = findings.filter(
    ({ text, is_quote: isQuote, computed }) =>
      computed === undefined && (wish.hasModel || (isQuote && coverage(text) > 0)),
  );
  const noted = new Set(notes.flatMap(({ citations }) => citations.map(({ document }) => document)));
  const scope = scopeOf(input.asked, ports.clock.now());
  for (const { source: document, url, fetchedAt, text } of texts) {
    const own = documents.find((one) => one.document === document);
    const publishedAt = own?.published_at ?? undefined;
    if (!isInScope({ url, publishedAt }, scope)) continue;
    known.previous.items.push({
      source: own?.source ?? 'earlier research',
      address: url,
      title: own?.title ?? url,
      text,
      ...definedFields({ publishedAt }),
      isSample: own?.sample_data ?? false,
      earlier: {
        task_id: shownTask,
        document,
        fetchedAt,
        isNeeded: noted.has(document),
        textBy: own?.text_by ?? 'source',
      },
    });
  }
  known.previous.findings = notes;
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
    // A figure names the document of one of the citations.
    const figures = note.figures?.flatMap((one) => {
      const chosen = ownOf.get(one.document);
      return chosen ? [{ ...one, document: chosen.document }] : [];
    });
    return [{ ...note, citations, topics, score, sub_question: closest(note.text), ...definedFields({ figures }) }];
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

/** The notes of the earlier research for a planner, each on one line. */
export const earlierNotes = ({ previous }: ResearchState): string[] =>
  (previous?.findings ?? []).slice(0, MAX_NOTES).map(({ text }) =>
    text
      .replaceAll(/[\p{Cc}\s]+/gu, ' ')
      .slice(0, MAX_NOTE)
      .toWellFormed(),
  );
