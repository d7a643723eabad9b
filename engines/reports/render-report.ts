/** Renders a report as Markdown, HTML or PDF; the Markdown form is here. */
import { describeChart, plainLine } from '../charts/chart.ts';
import type { FontFiles } from '../fonts/font.ts';
import {
  toMarkdownInline,
  toMarkdownLine,
  toMarkdownTable,
  toMarkdownTarget,
  toMarkdownText,
} from '../outputs/neutralize.ts';
import { writeHtml } from './html.ts';
import {
  chartTable,
  type RenderReport,
  type ReportBlock,
  type ReportFormat,
  type ReportSource,
  showDate,
  type TextRun,
  type TidyReport,
  tidyReport,
} from './report-document.ts';

type Cite = (citations: readonly number[] | undefined) => string;

function writeMarkdown(report: TidyReport): string {
  const { title, subtitle, madeAt, notes, sections, sources, language } = report;
  const cite = citationWriter(sources);
  const parts = [
    `# ${toMarkdownText(title)}`,
    ...(subtitle ? [`**${toMarkdownText(subtitle)}**`] : []),
    toMarkdownText(showDate(madeAt, language)),
    ...notes.map((note) => `> **Note:** ${toMarkdownText(note)}`),
    ...sections.flatMap(({ heading, blocks }) => [
      `## ${toMarkdownText(heading)}`,
      ...blocks.map((block) => blockOf(block, cite, language)),
    ]),
    ...(sources.length > 0 ? ['## Sources', sources.map((source) => sourceOf(source, language)).join('\n')] : []),
    sources.flatMap(({ number, address }) => (address ? [`[${number}]: ${toMarkdownTarget(address)}`] : [])).join('\n'),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** `[[1]]` renders as [1], linked by the reference definition at the end of the file. */
function citationWriter(sources: readonly ReportSource[]): Cite {
  const linked = new Set(sources.flatMap(({ number, address }) => (address ? [number] : [])));
  return (citations = []) =>
    citations.map((number) => (linked.has(number) ? ` [[${number}]]` : ` \\[${number}\\]`)).join('');
}

function blockOf(block: ReportBlock, cite: Cite, language: string): string {
  switch (block.kind) {
    case 'paragraph':
      return lineOf(block.runs, cite);
    case 'list':
      return block.items.map((item, at) => `${block.ordered ? `${at + 1}.` : '-'} ${lineOf(item, cite)}`).join('\n');
    case 'quote':
      return `> ${toMarkdownText(block.text)}${cite(block.citations)}`;
    case 'table': {
      const rows = block.rows.map((row) => row.map(({ text, citations }) => toMarkdownText(text) + cite(citations)));
      const caption = block.caption ? [`**${toMarkdownText(block.caption)}**`] : [];
      return [
        ...caption,
        toMarkdownTable(
          block.columns.map(({ heading }) => toMarkdownText(heading)),
          rows,
          block.columns.flatMap(({ align }, column) => (align === 'end' ? [column] : [])),
        ),
      ].join('\n\n');
    }
    case 'chart': {
      const { head, rows, remark } = chartTable(block.chart, language);
      const title = `**${toMarkdownText(plainLine(block.chart.title, 300))}**${cite(block.citations)}`;
      const table = toMarkdownTable(
        head.map(toMarkdownText),
        rows.map((row) => row.map(toMarkdownText)),
        head.flatMap((_, column) => (column > 0 ? [column] : [])),
      );
      return [title, toMarkdownText(describeChart(block.chart, language)), table, toMarkdownText(remark)]
        .filter(Boolean)
        .join('\n\n');
    }
  }
}

function lineOf(runs: readonly TextRun[], cite: Cite): string {
  const parts = runs.map(({ text, strong, citations }) => {
    const escaped = toMarkdownInline(text);
    return (strong ? bold(escaped) : escaped) + cite(citations);
  });
  return toMarkdownLine(parts.join('').trim());
}

const bold = (text: string): string =>
  text.replace(/^(\s*)(.*?)(\s*)$/, (_, before, middle, after) =>
    middle ? `${before}**${middle}**${after}` : before + after,
  );

function sourceOf({ number, title, address, publishedAt, isSample }: ReportSource, language: string): string {
  const name = address ? `[${toMarkdownText(title)}](${toMarkdownTarget(address)})` : toMarkdownText(title);
  const more = [publishedAt ? showDate(publishedAt, language) : '', isSample ? 'sample data' : ''].filter(Boolean);
  return `- \\[${number}\\] ${[name, ...more.map(toMarkdownText)].join(', ')}`;
}

const TYPES: Record<ReportFormat, { contentType: string; extension: string }> = {
  markdown: { contentType: 'text/markdown; charset=utf-8', extension: 'md' },
  html: { contentType: 'text/html; charset=utf-8', extension: 'html' },
  pdf: { contentType: 'application/pdf', extension: 'pdf' },
};

export const renderReport =
  (files: FontFiles): RenderReport =>
  async (report, format) => {
    const tidy = tidyReport(report);
    if (format === 'pdf') {
      const { writePdf } = await import('./pdf/write-pdf.ts');
      return { ...TYPES.pdf, ...(await writePdf(tidy, files)) };
    }
    const text = format === 'html' ? writeHtml(tidy) : writeMarkdown(tidy);
    return { ...TYPES[format], bytes: new TextEncoder().encode(text), missingScripts: [] };
  };
