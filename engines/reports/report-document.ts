/** A report as data: what an agent found, before it becomes Markdown, HTML or PDF. All texts are plain; none is markup. */
import type { Chart } from '../charts/chart.ts';

/** Some words, and the numbers of the sources that carry them. */
export type TextRun = { text: string; strong?: boolean; citations?: number[] };

export type ReportCell = { text: string; citations?: number[] };

export type ReportBlock =
  | { kind: 'paragraph'; runs: TextRun[] }
  | { kind: 'list'; ordered?: boolean; items: TextRun[][] }
  | { kind: 'table'; caption?: string; columns: { heading: string; align?: 'start' | 'end' }[]; rows: ReportCell[][] }
  | { kind: 'chart'; chart: Chart; citations?: number[] }
  | { kind: 'quote'; text: string; citations?: number[] };

export type ReportSection = { heading: string; blocks: ReportBlock[] };

export type ReportSource = {
  number: number;
  title: string;
  /** Becomes a link if it is http or https, and nothing otherwise. */
  address?: string;
  /** ISO 8601. */
  publishedAt?: string;
  /** Made up for trying things out, not news of the world. */
  isSample?: boolean;
};

export type ReportDocument = {
  title: string;
  subtitle?: string;
  /** ISO 8601. */
  madeAt: string;
  /** BCP 47, `en` if absent. */
  language?: string;
  /** What a reader must know first: `Made from sample data`. */
  notes: string[];
  sections: ReportSection[];
  sources: ReportSource[];
};

export type ReportFormat = 'markdown' | 'html' | 'pdf';
export type RenderedReport = { bytes: Uint8Array; contentType: string; extension: string };

/** Markdown and HTML come at once, PDF loads its maker first. */
export type RenderReport = (report: ReportDocument, format: ReportFormat) => Promise<RenderedReport>;
