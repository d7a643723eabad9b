/** A report as GitHub flavoured Markdown. */
import { chartInWords } from '../../charts/chart-in-words.ts';
import { plainLine } from '../../charts/tidy-chart.ts';
import { chartTable } from '../chart-table.ts';
import type { Block, ReportSource, Run } from '../report-document.ts';
import { showDate } from '../show-date.ts';
import type { TidyReport } from '../tidy-report.ts';
import { escapeInline, escapeText, finishLine, linkTarget } from './escape.ts';

type Cite = (citations: readonly number[] | undefined) => string;

export function writeMarkdown(report: TidyReport): string {
  const { title, subtitle, madeAt, notes, sections, sources, language } = report;
  const cite = citing(sources);
  const parts = [
    `# ${escapeText(title)}`,
    ...(subtitle ? [`**${escapeText(subtitle)}**`] : []),
    escapeText(showDate(madeAt, language)),
    ...notes.map((note) => `> **Note:** ${escapeText(note)}`),
    ...sections.flatMap(({ heading, blocks }) => [
      `## ${escapeText(heading)}`,
      ...blocks.map((block) => blockOf(block, cite, language)),
    ]),
    ...(sources.length > 0 ? ['## Sources', sources.map((source) => sourceOf(source, language)).join('\n')] : []),
    sources.flatMap(({ number, address }) => (address ? [`[${number}]: ${linkTarget(address)}`] : [])).join('\n'),
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** `[[1]]` shows as [1], whose number is a link by its definition at the end. */
function citing(sources: readonly ReportSource[]): Cite {
  const linked = new Set(sources.flatMap(({ number, address }) => (address ? [number] : [])));
  return (citations = []) =>
    citations.map((number) => (linked.has(number) ? ` [[${number}]]` : ` \\[${number}\\]`)).join('');
}

function blockOf(block: Block, cite: Cite, language: string): string {
  switch (block.kind) {
    case 'paragraph':
      return lineOf(block.runs, cite);
    case 'list':
      return block.items.map((item, at) => `${block.ordered ? `${at + 1}.` : '-'} ${lineOf(item, cite)}`).join('\n');
    case 'quote':
      return `> ${escapeText(block.text)}${cite(block.citations)}`;
    case 'table': {
      const rows = block.rows.map((row) => row.map(({ text, citations }) => escapeText(text) + cite(citations)));
      const caption = block.caption ? [`**${escapeText(block.caption)}**`] : [];
      return [
        ...caption,
        tableOf(
          block.columns.map(({ heading }) => escapeText(heading)),
          rows,
          block.columns.map(({ align }) => align === 'end'),
        ),
      ].join('\n\n');
    }
    case 'chart': {
      const { head, rows, remark } = chartTable(block.chart, language);
      const title = `**${escapeText(plainLine(block.chart.title, 300))}**${cite(block.citations)}`;
      const table = tableOf(
        head.map(escapeText),
        rows.map((row) => row.map(escapeText)),
        head.map((_, at) => at > 0),
      );
      return [title, escapeText(chartInWords(block.chart, language)), table, escapeText(remark)]
        .filter(Boolean)
        .join('\n\n');
    }
  }
}

function lineOf(runs: readonly Run[], cite: Cite): string {
  const parts = runs.map(({ text, strong, citations }) => {
    const escaped = escapeInline(text);
    return (strong ? bold(escaped) : escaped) + cite(citations);
  });
  return finishLine(parts.join('').trim());
}

const bold = (text: string): string =>
  text.replace(/^(\s*)(.*?)(\s*)$/, (_, before, middle, after) =>
    middle ? `${before}**${middle}**${after}` : before + after,
  );

function tableOf(head: string[], rows: string[][], toTheEnd: boolean[]): string {
  if (head.length === 0) return '';
  const line = (cells: string[]) => `| ${cells.map((cell) => cell || ' ').join(' | ')} |`;
  return [line(head), line(toTheEnd.map((end) => (end ? '---:' : '---'))), ...rows.map(line)].join('\n');
}

function sourceOf({ number, title, address, publishedAt, isSample }: ReportSource, language: string): string {
  const name = address ? `[${escapeText(title)}](${linkTarget(address)})` : escapeText(title);
  const more = [publishedAt ? showDate(publishedAt, language) : '', isSample ? 'sample data' : ''].filter(Boolean);
  return `- \\[${number}\\] ${[name, ...more.map(escapeText)].join(', ')}`;
}
