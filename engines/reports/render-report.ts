/** Renders a report as Markdown, HTML or PDF. The HTML file loads nothing and runs nothing; the PDF writer is in its own folder. */
import { type Chart, cleanLabel, describeChart, fullFormat, tidyChart } from '../charts/chart.ts';
import { chartSvg } from '../charts/chart-image.ts';
import { className, DARK, LIGHT } from '../charts/drawing.ts';
import type { FontFiles } from '../fonts/font.ts';
import { toHtmlText } from '../outputs/escape-html.ts';
import {
  toMarkdownInline,
  toMarkdownLine,
  toMarkdownTable,
  toMarkdownTarget,
  toMarkdownText,
} from '../outputs/escape-markdown.ts';
import {
  type RenderReport,
  type ReportBlock,
  type ReportFormat,
  type ReportSection,
  type ReportSource,
  reportWords,
  showDate,
  type TextRun,
  type TidyReport,
  tidyReport,
} from './report-document.ts';

type Cite = (citations: readonly number[] | undefined) => string;

function writeMarkdown(report: TidyReport): string {
  const { title, subtitle, madeAt, notes, sections, sources, sourcesHeading, language } = report;
  const words = reportWords(language);
  const cite = citationWriter(sources);
  const parts = [
    `# ${toMarkdownText(title)}`,
    ...(subtitle ? [`**${toMarkdownText(subtitle)}**`] : []),
    toMarkdownText(showDate(madeAt, language)),
    ...notes.map((note) => `> **${words.note}** ${toMarkdownText(note)}`),
    ...sections.flatMap(({ heading, blocks }) => [
      `## ${toMarkdownText(heading)}`,
      ...blocks.map((block) => blockOf(block, cite, language)),
    ]),
    ...(sources.length > 0
      ? [`## ${toMarkdownText(sourcesHeading)}`, sources.map((source) => sourceOf(source, language)).join('\n')]
      : []),
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
        ...(block.remark ? [toMarkdownText(block.remark)] : []),
      ].join('\n\n');
    }
    case 'chart': {
      const { head, rows, remark } = chartTable(block.chart, language);
      const title = `**${toMarkdownText(cleanLabel(block.chart.title, 300))}**${cite(block.citations)}`;
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
  const parts = runs.map(({ text, strong, citations, mark }) => {
    const escaped = toMarkdownInline(text);
    const marked = mark ? ` *(${toMarkdownText(mark)})*` : '';
    return (strong ? bold(escaped) : escaped) + cite(citations) + marked;
  });
  return toMarkdownLine(parts.join('').trim());
}

const bold = (text: string): string =>
  text.replace(/^(\s*)(.*?)(\s*)$/, (_, before, middle, after) =>
    middle ? `${before}**${middle}**${after}` : before + after,
  );

function sourceOf(source: ReportSource, language: string): string {
  const { number, title, address, publishedAt, isSample, places = [] } = source;
  const name = address ? `[${toMarkdownText(title)}](${toMarkdownTarget(address)})` : toMarkdownText(title);
  const more = [
    ...places,
    publishedAt ? showDate(publishedAt, language) : '',
    isSample ? reportWords(language).sample : '',
  ].filter(Boolean);
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

/** The paints that charts refer to by class names. */
const NAMED = ['paper', 'ink', 'soft', 'grid', 'axis'] as const;

/** Chart shapes carry the light colors as attributes, so the style sheet contains only the dark ones. */
const nightly = [
  ...NAMED.map((paint) => [className(paint), DARK[paint]] as const),
  ...DARK.series.map((colour, series) => [className({ series }), colour] as const),
]
  .map(([name, colour]) => `.${name}{fill:${colour}}.${name}.c-stroke{fill:none;stroke:${colour}}`)
  .join('');

const STYLE = `
:root{color-scheme:light dark;--paper:${LIGHT.paper};--ink:${LIGHT.ink};--soft:${LIGHT.soft};--line:#d5dae1;--link:#0a5c99;--note:#fff6e0;--note-line:#c98a00;--band:#f6f8fa}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:1.0625rem/1.6 Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;font-kerning:normal;overflow-wrap:break-word}
main{max-width:46rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:2rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 .5rem;text-wrap:balance}
h2{font-size:1.35rem;line-height:1.3;letter-spacing:-.01em;margin:2.75rem 0 .75rem;text-wrap:balance}
p,ul,ol,blockquote,figure,.table{margin:0 0 1.1rem}
.subtitle{font-size:1.2rem;line-height:1.45;color:var(--soft);margin:0 0 .75rem}
.made{color:var(--soft);font-size:.9375rem;margin:0 0 1.5rem}
.note{background:var(--note);border-left:4px solid var(--note-line);border-radius:0 6px 6px 0;padding:.7rem 1rem;margin:0 0 .75rem}
nav{border-block:1px solid var(--line);padding:.9rem 0;margin:1.5rem 0}
nav ol{margin:0;padding-left:1.5rem}
a{color:var(--link);text-underline-offset:.15em}
nav a,.cite a{text-decoration:none}
a:hover{text-decoration:underline}
a:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:2px}
ul,ol{padding-left:1.5rem}
li{margin:.3rem 0}
.cite{font-weight:400;font-size:.75em;line-height:0;vertical-align:.45em;margin-left:.1em;white-space:nowrap}
blockquote{border-left:3px solid var(--line);padding:.1rem 0 .1rem 1.1rem;color:var(--soft)}
.table{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9375rem;line-height:1.4;font-variant-numeric:tabular-nums}
caption,figcaption{text-align:left;font-weight:600;padding-bottom:.6rem;line-height:1.35;text-wrap:balance}
th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line);min-width:4.5rem;overflow-wrap:normal}
th:last-child,td:last-child{padding-right:0}
thead th{border-bottom:2px solid var(--ink);vertical-align:bottom}
tbody th{font-weight:400}
.end{text-align:right}
figure{margin-block:1.75rem}
figure svg{display:block;width:100%;height:auto}
figure .narrow{display:none}
.from{color:var(--soft);font-size:.875rem;margin:.4rem 0 0}
details{margin-top:.5rem;font-size:.9375rem}
summary{cursor:pointer;color:var(--link)}
.sources li{padding-left:.25rem}
.sources span,.mark{color:var(--soft)}
.mark{font-size:.8125em}
.table+.from{margin:-.6rem 0 1.1rem}
@media (max-width:600px){body{font-size:1rem}main{padding:1.5rem 1rem 3rem}h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.25rem}figure .narrow{display:block}figure .wide{display:none}}
@media print,(min-width:601px){.unbroken{white-space:nowrap}}
@media screen and (prefers-color-scheme:dark){:root{--paper:${DARK.paper};--ink:${DARK.ink};--soft:${DARK.soft};--line:#323b47;--link:#7cbcf5;--note:#33290f;--note-line:#d8a53a;--band:#1e252e}${nightly}}
@media print{@page{size:A4;margin:18mm}body{font-size:10.5pt}main{max-width:none;padding:0}h1,h2,figcaption,caption{break-after:avoid}figure,blockquote,tr,.note{break-inside:avoid}p,li{orphans:2;widows:2}.from{break-before:avoid}thead{display:table-header-group}.table{overflow:visible}details,nav{display:none}a{color:inherit;text-decoration:none}figure .wide{display:block!important}figure .narrow{display:none!important}}
`.trim();

/** Charts are drawn twice: as wide as the text column, and as wide as a phone. */
const WIDE = 700;
const NARROW = 336;
const MAX_TITLE_LENGTH = 300;

function htmlBlock(block: ReportBlock, language: string): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p>${runsOf(block.runs)}</p>`;
    case 'list': {
      const tag = block.ordered ? 'ol' : 'ul';
      return `<${tag}>${block.items.map((item) => `<li>${runsOf(item)}</li>`).join('')}</${tag}>`;
    }
    case 'quote':
      return `<blockquote>${toHtmlText(block.text)}${citationsHtml(block.citations)}</blockquote>`;
    case 'table': {
      const unbroken = unbrokenColumns(block);
      return tableOf({
        caption: block.caption ?? '',
        head: block.columns.map(({ heading }) => heading),
        rows: block.rows.map((row) => row.map(({ text, citations }) => toHtmlText(text) + citationsHtml(citations))),
        isEnd: (column) => block.columns[column]?.align === 'end',
        isUnbroken: (column) => unbroken.has(column),
        remark: block.remark ?? '',
      });
    }
    case 'chart':
      return figureOf(block.chart, citationsHtml(block.citations), language);
  }
}

const runsOf = (runs: readonly TextRun[]): string =>
  runs
    .map(
      ({ text, strong, citations, places, mark }) =>
        (strong ? `<strong>${toHtmlText(text)}</strong>` : toHtmlText(text)) +
        citationsHtml(citations, places) +
        (mark ? ` <small class="mark">(${toHtmlText(mark)})</small>` : ''),
    )
    .join('');

const citationsHtml = (citations: readonly number[] = [], places: Record<number, string> = {}): string =>
  citations
    .map((number) => {
      const place = toHtmlText(places[number] ?? '');
      const [tooltip, spoken] = place ? [` title="${place}"`, `, ${place}`] : ['', ''];
      return `<sup class="cite"><a href="#source-${number}" aria-label="Source ${number}${spoken}"${tooltip}>[${number}]</a></sup>`;
    })
    .join('');

/** In characters: a cell that is kept on one line, and a row that fits on paper. */
const MAX_UNBROKEN = 18;
const MAX_ROW = 75;
const CITATION_LENGTH = 3;

/** Columns of short cells, such as dates and names, stay on one line if the others have room to wrap beside them. */
function unbrokenColumns({ columns, rows }: Extract<ReportBlock, { kind: 'table' }>): Set<number> {
  const longestIn = (at: number, length: (text: string) => number): number =>
    Math.max(
      ...rows.map((row) => length(row[at]?.text ?? '') + CITATION_LENGTH * (row[at]?.citations?.length ?? 0)),
      0,
    );
  const widths = columns.map((_, at) => longestIn(at, (text) => text.length));
  const words = columns.map((_, at) =>
    longestIn(at, (text) => Math.max(...text.split(/\s+/).map(({ length }) => length))),
  );
  const total = widths.reduce((sum, width, at) => sum + (width <= MAX_UNBROKEN ? width : (words[at] ?? 0)), 0);
  return new Set(total > MAX_ROW ? [] : [...widths.keys()].filter((at) => (widths[at] ?? 0) <= MAX_UNBROKEN));
}

type TableBlock = {
  caption: string;
  head: string[];
  rows: string[][];
  isEnd: (column: number) => boolean;
  isUnbroken?: (column: number) => boolean;
  remark: string;
};

/** Tables scroll sideways, also by keyboard. */
function tableOf({ caption, head, rows, isEnd, isUnbroken = () => false, remark }: TableBlock): string {
  const look = (column: number) => {
    const classes = [...(isEnd(column) ? ['end'] : []), ...(isUnbroken(column) ? ['unbroken'] : [])];
    return classes.length > 0 ? ` class="${classes.join(' ')}"` : '';
  };
  const headings = head.map((text, at) => `<th scope="col"${look(at)}>${toHtmlText(text)}</th>`).join('');
  const body = rows
    .map((row) => `<tr>${row.map((cell, at) => `<td${look(at)}>${cell}</td>`).join('')}</tr>`)
    .join('\n');
  const label = toHtmlText(caption || 'Table');
  return `<div class="table" role="region" aria-label="${label}" tabindex="0"><table>${caption ? `<caption>${toHtmlText(caption)}</caption>` : ''}
<thead><tr>${headings}</tr></thead>
<tbody>
${body}
</tbody></table></div>${remark ? `<p class="from">${toHtmlText(remark)}</p>` : ''}`;
}

function figureOf(chart: Chart, cite: string, language: string): string {
  const draw = (widthPixels: number) => chartSvg(chart, { widthPixels, language, withTitle: false });
  const { head, rows, remark } = chartTable(chart, language);
  const values = tableOf({
    caption: '',
    head,
    rows: rows.map((row) => row.map(toHtmlText)),
    isEnd: (column) => column > 0,
    remark,
  });
  const source = cleanLabel(chart.source ?? '', MAX_TITLE_LENGTH);
  const words = reportWords(language);
  return `<figure>
<figcaption>${toHtmlText(cleanLabel(chart.title, MAX_TITLE_LENGTH))}${cite}</figcaption>
<div class="wide">${draw(WIDE)}</div>
<div class="narrow">${draw(NARROW)}</div>
${source ? `<p class="from">${words.source}: ${toHtmlText(source)}</p>` : ''}
<details><summary>${words.values}</summary>${values}</details>
</figure>`;
}

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/** Only a long report gets a table of contents: of this many sections, and of about 1,500 words. */
const LISTED_FROM = { sections: 6, characters: 9_000 };

function isLong(sections: readonly ReportSection[]): boolean {
  if (sections.length < LISTED_FROM.sections) return false;
  const characters = sections.flatMap(({ blocks }) => blocks).reduce((sum, block) => sum + lengthOf(block), 0);
  return characters > LISTED_FROM.characters;
}

function lengthOf(block: ReportBlock): number {
  const total = (texts: readonly { text: string }[]) => texts.reduce((sum, { text }) => sum + text.length, 0);
  switch (block.kind) {
    case 'paragraph':
      return total(block.runs);
    case 'list':
      return total(block.items.flat());
    case 'table':
      return total(block.rows.flat());
    case 'quote':
      return block.text.length;
    case 'chart':
      return 0;
  }
}

function writeHtml(report: TidyReport): string {
  const { title, language, sections, sources } = report;
  return `<!doctype html>
<html lang="${toHtmlText(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${toHtmlText(title)}</title>
<style>
${STYLE}
</style>
</head>
<body>
<main>
${headOf(report)}
${isLong(sections) ? contentsOf(report) : ''}
${sections.map(({ heading, blocks }, at) => `<section>\n<h2 id="section-${at + 1}">${toHtmlText(heading)}</h2>\n${blocks.map((block) => htmlBlock(block, language)).join('\n')}\n</section>`).join('\n')}
${sources.length > 0 ? sourcesOf(report) : ''}
</main>
</body>
</html>
`.replaceAll(/\n{2,}/g, '\n');
}

const headOf = ({ title, subtitle, madeAt, language, notes }: TidyReport): string => `<header>
<h1>${toHtmlText(title)}</h1>
${subtitle ? `<p class="subtitle">${toHtmlText(subtitle)}</p>` : ''}
<p class="made">${timeOf(madeAt, language)}</p>
${notes.map((note) => `<p class="note" role="note">${toHtmlText(note)}</p>`).join('\n')}
</header>`;

const contentsOf = ({ sections, sources, sourcesHeading, language }: TidyReport): string => {
  const words = reportWords(language);
  const items = [
    ...sections.map(({ heading }, at) => [`section-${at + 1}`, heading] as const),
    ...(sources.length > 0 ? [['sources', sourcesHeading] as const] : []),
  ];
  return `<nav aria-label="${words.contents}"><ol>${items.map(([id, text]) => `<li><a href="#${id}">${toHtmlText(text)}</a></li>`).join('')}</ol></nav>`;
};

const sourcesOf = ({ sources, sourcesHeading, language }: TidyReport): string =>
  `<section class="sources">\n<h2 id="sources">${toHtmlText(sourcesHeading)}</h2>\n<ol>\n${sources.map((source) => htmlSource(source, language)).join('\n')}\n</ol>\n</section>`;

function htmlSource(source: ReportSource, language: string): string {
  const { number, title, address, publishedAt, isSample, places = [] } = source;
  const name = address
    ? `<a href="${toHtmlText(address)}" rel="noopener noreferrer nofollow">${toHtmlText(title)}</a>`
    : toHtmlText(title);
  const more = [
    ...places.map(toHtmlText),
    ...(publishedAt ? [timeOf(publishedAt, language)] : []),
    ...(isSample ? [reportWords(language).sample] : []),
  ];
  const aside = more.length > 0 ? ` <span>${more.join(', ')}</span>` : '';
  return `<li id="source-${number}" value="${number}">${name}${aside}</li>`;
}

function timeOf(instant: string, language: string): string {
  const dateText = toHtmlText(showDate(instant, language));
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? dateText : `<time datetime="${date.toISOString()}">${dateText}</time>`;
}

/** The values of a chart as table rows, for readers who cannot see it or want the numbers. */
function chartTable(chart: Chart, language: string): ChartTable {
  const { labels, series, unit } = tidyChart(chart);
  const show = fullFormat(language);
  const step = Math.ceil(labels.length / MAX_CHART_ROWS);
  const rows = labels.flatMap((label, index) => {
    const isShown = index % step === 0 || index === labels.length - 1;
    const cells = series.map(({ values }) => (values[index] == null ? '–' : show(values[index])));
    return isShown ? [[label, ...cells]] : [];
  });
  const remark = step > 1 ? `Every ${step}th of ${labels.length} points.` : '';
  return { head: [unit, ...series.map(({ name }) => name)], rows, remark };
}

const MAX_CHART_ROWS = 60;

type ChartTable = { head: string[]; rows: string[][]; remark: string };
