/** Writes every deliverable that was asked for. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { OFFLINE } from '../../model/offline.ts';
import { chartsOf } from './charts-of.ts';
import type { Deliverable } from './deliverables.ts';
import type { FindingPoint, ResearchState } from './state.ts';
import type { ResearchRequest } from './wish.ts';
import { writtenByModel } from './write-model.ts';
import { writeOffline } from './write-offline.ts';
import type { DataTable, WrittenDeliverable, WrittenParagraph } from './written.ts';

const MOST_ROWS = 100;
const IN_WORDS = new Set(['summary', 'findings', 'topic']);

type DeliverableRequest = { wish: ResearchRequest; known: ResearchState; model: LanguageModelV4; signal: AbortSignal };

export async function writeDeliverables(asked: DeliverableRequest): Promise<WrittenDeliverable[]> {
  const { wish, known, model } = asked;
  const inWords = wish.deliverables.filter(({ kind }) => IN_WORDS.has(kind));
  const isAsked = model.provider !== OFFLINE && known.findings.length > 0 && inWords.length > 0;
  const byModel = isAsked ? await writtenByModel({ ...asked, deliverables: inWords }) : undefined;
  return wish.deliverables.map((deliverable) => written(deliverable, known, byModel?.get(deliverable)));
}

function written(
  deliverable: Deliverable,
  known: ResearchState,
  paragraphs: WrittenParagraph[] | undefined,
): WrittenDeliverable {
  const { deliverable: asked, title, kind } = deliverable;
  const head = { deliverable: asked, title, paragraphs: [] };
  if (kind === 'table') return tableIn(head, known.points);
  if (kind === 'charts') return chartsIn(head, known.points);
  if (kind === 'sources') return sourcesIn(head, known);
  return paragraphs ? { ...head, paragraphs } : writeOffline(deliverable, known.findings);
}

function tableIn(head: WrittenDeliverable, points: readonly FindingPoint[]): WrittenDeliverable {
  const sorted = points.toSorted((a, b) => byText(a.label, b.label) || byText(b.at ?? '', a.at ?? ''));
  const table: DataTable = {
    columns: ['Figure', 'Of', 'Value', 'Unit', 'Date', 'Source'],
    rows: sorted.slice(0, MOST_ROWS).map(({ label, title, value, unit, at, source, document }) => ({
      cells: [label, title, String(value), unit ?? '', (at ?? '').slice(0, 10), source],
      document,
    })),
    rows_left_out: Math.max(0, sorted.length - MOST_ROWS),
  };
  return points.length > 0 ? { ...head, table } : { ...head, note: NO_FIGURES };
}

const NO_FIGURES = 'None of the documents that were read came with figures.';

function chartsIn(head: WrittenDeliverable, points: readonly FindingPoint[]): WrittenDeliverable {
  const charts = chartsOf(points).map((_, at) => at + 1);
  return charts.length > 0 ? { ...head, charts } : { ...head, note: 'There are no figures to compare.' };
}

function sourcesIn(head: WrittenDeliverable, { documents }: ResearchState): WrittenDeliverable {
  const read = documents.filter(({ status }) => status === 'read').map(({ document }) => document);
  return read.length > 0 ? { ...head, documents: read } : { ...head, note: 'No document was read.' };
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
