/** The parts of a section as HTML. */
import type { Chart } from '../../charts/chart.ts';
import { chartSvg } from '../../charts/chart-svg.ts';
import { plainLine } from '../../charts/tidy-chart.ts';
import { toHtmlText } from '../../outputs/neutralize.ts';
import { chartTable } from '../chart-table.ts';
import type { ReportBlock, TextRun } from '../report-document.ts';

/** As wide as the column of text, and as a phone. */
const WIDE = 700;
const NARROW = 336;
const MAX_TITLE_LENGTH = 300;

export function blockOf(block: ReportBlock, language: string): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${runsOf(block.runs)}</p>`;
    case 'list': {
      const tag = block.ordered ? 'ol' : 'ul';
      return `<${tag}>${block.items.map((item) => `<li>${runsOf(item)}</li>`).join('')}</${tag}>`;
    }
    case 'quote':
      return `<blockquote>${toHtmlText(block.text)}${citationsHtml(block.citations)}</blockquote>`;
    case 'table':
      return tableOf({
        caption: block.caption ?? '',
        head: block.columns.map(({ heading }) => heading),
        rows: block.rows.map((row) => row.map(({ text, citations }) => toHtmlText(text) + citationsHtml(citations))),
        isEnd: (column) => block.columns[column]?.align === 'end',
      });
    case 'chart':
      return figureOf(block.chart, citationsHtml(block.citations), language);
  }
}

const runsOf = (runs: readonly TextRun[]): string =>
  runs
    .map(
      ({ text, strong, citations }) =>
        (strong ? `<strong>${toHtmlText(text)}</strong>` : toHtmlText(text)) + citationsHtml(citations),
    )
    .join('');

const citationsHtml = (citations: readonly number[] = []): string =>
  citations
    .map(
      (number) => `<sup class="cite"><a href="#source-${number}" aria-label="Source ${number}">[${number}]</a></sup>`,
    )
    .join('');

type Table = { caption: string; head: string[]; rows: string[][]; isEnd: (column: number) => boolean };

/** May be scrolled sideways, also by keys. */
function tableOf({ caption, head, rows, isEnd }: Table): string {
  const look = (column: number) => (isEnd(column) ? ' class="end"' : '');
  const headings = head.map((text, at) => `<th scope="col"${look(at)}>${toHtmlText(text)}</th>`).join('');
  const body = rows
    .map((row) => `<tr>${row.map((cell, at) => `<td${look(at)}>${cell}</td>`).join('')}</tr>`)
    .join('\n');
  const label = toHtmlText(caption || 'Table');
  return `<div class="table" role="region" aria-label="${label}" tabindex="0"><table>${caption ? `<caption>${toHtmlText(caption)}</caption>` : ''}
<thead><tr>${headings}</tr></thead>
<tbody>
${body}
</tbody></table></div>`;
}

function figureOf(chart: Chart, cite: string, language: string): string {
  const draw = (widthPixels: number) => chartSvg(chart, { widthPixels, language, withTitle: false });
  const { head, rows, remark } = chartTable(chart, language);
  const values = tableOf({
    caption: '',
    head,
    rows: rows.map((row) => row.map(toHtmlText)),
    isEnd: (column) => column > 0,
  });
  const source = plainLine(chart.source ?? '', MAX_TITLE_LENGTH);
  return `<figure>
<figcaption>${toHtmlText(plainLine(chart.title, MAX_TITLE_LENGTH))}${cite}</figcaption>
<div class="wide">${draw(WIDE)}</div>
<div class="narrow">${draw(NARROW)}</div>
${source ? `<p class="from">Source: ${toHtmlText(source)}</p>` : ''}
<details><summary>Values</summary>${values}${remark ? `<p class="from">${toHtmlText(remark)}</p>` : ''}</details>
</figure>`;
}
