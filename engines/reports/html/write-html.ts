/** A report as one HTML file that loads nothing and runs nothing. */
import { toHtmlText } from '../../outputs/neutralize.ts';
import type { ReportSource } from '../report-document.ts';
import { showDate } from '../show-date.ts';
import type { TidyReport } from '../tidy-report.ts';
import { STYLE } from './style.ts';
import { blockOf } from './write-blocks.ts';

const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/** A shorter report shows its order at a glance. */
const LISTED_FROM = 4;

export function writeHtml(report: TidyReport): string {
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
${sections.length >= LISTED_FROM ? contentsOf(report) : ''}
${sections.map(({ heading, blocks }, at) => `<section>\n<h2 id="section-${at + 1}">${toHtmlText(heading)}</h2>\n${blocks.map((block) => blockOf(block, language)).join('\n')}\n</section>`).join('\n')}
${sources.length > 0 ? sourcesOf(sources, language) : ''}
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

const contentsOf = ({ sections, sources }: TidyReport): string => {
  const items = [
    ...sections.map(({ heading }, at) => [`section-${at + 1}`, heading] as const),
    ...(sources.length > 0 ? [['sources', 'Sources'] as const] : []),
  ];
  return `<nav aria-label="Contents"><ol>${items.map(([id, text]) => `<li><a href="#${id}">${toHtmlText(text)}</a></li>`).join('')}</ol></nav>`;
};

const sourcesOf = (sources: readonly ReportSource[], language: string): string =>
  `<section class="sources">\n<h2 id="sources">Sources</h2>\n<ol>\n${sources.map((source) => sourceOf(source, language)).join('\n')}\n</ol>\n</section>`;

function sourceOf({ number, title, address, publishedAt, isSample }: ReportSource, language: string): string {
  const name = address
    ? `<a href="${toHtmlText(address)}" rel="noopener noreferrer nofollow">${toHtmlText(title)}</a>`
    : toHtmlText(title);
  const more = [...(publishedAt ? [timeOf(publishedAt, language)] : []), ...(isSample ? ['sample data'] : [])];
  const aside = more.length > 0 ? ` <span>${more.join(', ')}</span>` : '';
  return `<li id="source-${number}" value="${number}">${name}${aside}</li>`;
}

function timeOf(instant: string, language: string): string {
  const shown = toHtmlText(showDate(instant, language));
  const date = new Date(instant);
  return Number.isNaN(date.getTime()) ? shown : `<time datetime="${date.toISOString()}">${shown}</time>`;
}
