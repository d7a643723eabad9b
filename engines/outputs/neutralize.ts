/**
 * Makes text from documents, sources and models harmless in the files and messages that agents write: it is shown as the
 * letters it is made of, and no program that opens the output calculates, runs, loads or links because of it.
 */
import { escapeHtml } from '../../shared/core/console.ts';

/** Control characters except white space, direction overrides and lone surrogates. */
const INVISIBLE = /(?![\n\r\t])[\p{Cc}\p{Bidi_Control}\ufffe\uffff]/gu;

const withoutInvisible = (text: string): string => text.toWellFormed().replaceAll(INVISIBLE, ' ');

// CSV

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?%?$/;
/** The full-width forms count too: some spreadsheets read them as the ASCII signs. */
const FORMULA_SIGNS = '=+\\-@|＝＋－＠';
/** Where a cell may start for a program that separates by `;` or tab, whatever quotes stand around the cell. */
const CELL_START = new RegExp(`(^|[;\\t\\r\\n])([ "\\u00a0]*)(?=[${FORMULA_SIGNS}])([^;\\t\\r\\n]*)`, 'g');
const CSV_CELL_START = new RegExp(`(^|[,;\\t\\r\\n])([ "\\u00a0]*)(?=[${FORMULA_SIGNS}])([^,;\\t\\r\\n"]*)`, 'g');

const withApostrophe = (_: string, before: string, gap: string, cell: string): string =>
  `${before}${gap}${PLAIN_NUMBER.test(cell.trim()) ? '' : "'"}${cell}`;

/** One CSV cell (RFC 4180). What a spreadsheet would calculate gets an apostrophe in front; a plain number stays. */
export function toCsvCell(text: string): string {
  const visible = withoutInvisible(text);
  const safe = (/^[\t\r\n]/.test(visible) ? `'${visible}` : visible).replaceAll(CELL_START, withApostrophe);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A complete CSV or TSV text, such as one that a model wrote. */
export const toSafeCsv = (text: string): string => withoutInvisible(text).replaceAll(CSV_CELL_START, withApostrophe);

// HTML and XML

export const toHtmlText = (text: string): string => escapeHtml(withoutInvisible(text));

/** Text of an XML part, for instance a string cell of a workbook; such a cell is never a formula. */
export const toXmlText = (text: string): string =>
  withoutInvisible(text).replaceAll(/[&<>"]/g, (sign) => XML_ENTITIES[sign] ?? sign);
const XML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const NO_ACTIVE_CONTENT =
  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'\">";

const INACTIVE_START = `<!doctype html>\n${NO_ACTIVE_CONTENT}\n`;
const DOCTYPE = /^\ufeff?\s*<!doctype[^>]*>\s*/i;

/** A whole HTML page that a model wrote: it runs no script and loads nothing, because this policy comes first. */
export const toInactiveHtml = (page: string): string =>
  page.startsWith(INACTIVE_START) ? page : INACTIVE_START + page.replace(DOCTYPE, '');

// GitHub flavoured Markdown

const MARKDOWN_SIGNS = /[\\`*_[\]|~$^]/g;
/** What would start a heading, a list, a quote or a rule at the start of a line. */
const LINE_START = /^(\s*)([#+=:-]|\d{1,9}(?=[.)](?:\s|$)))/;
/** Zero width: it keeps a renderer from recognising a URL. */
const JOINER = '\u2060';

/** Part of a line; `toMarkdownLine` has to be applied to the whole line. */
export const toMarkdownInline = (text: string): string =>
  withoutInvisible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(MARKDOWN_SIGNS, '\\$&');

/** A line made of escaped parts, which together could still form what none of them is alone. */
export const toMarkdownLine = (line: string): string =>
  line
    .replaceAll(/:(?=\/)/g, `:${JOINER}`)
    .replaceAll(/www(?=\.)/gi, `$&${JOINER}`)
    .replaceAll(/@/g, `${JOINER}@`)
    .replaceAll(/(mailto|xmpp):/gi, `$1${JOINER}:`)
    .replace(LINE_START, (_, space: string, sign: string) =>
      /\d/.test(sign) ? `${space}${sign}\\` : `${space}\\${sign}`,
    );

export const toMarkdownText = (text: string): string => toMarkdownLine(toMarkdownInline(text));

/** The target of a link. The caller has checked the URL; no character of it can end the link. */
export const toMarkdownTarget = (url: string): string =>
  `<${url.replaceAll(/[<>\\\s|]/g, (sign) => encodeURIComponent(sign))}>`;

/** A table whose cells are already neutralised Markdown of one line each. */
export function toMarkdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  endAligned: number[] = [],
) {
  if (head.length === 0) return '';
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell || ' ').join(' | ')} |`;
  const rule = head.map((_, column) => (endAligned.includes(column) ? '---:' : '---'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
