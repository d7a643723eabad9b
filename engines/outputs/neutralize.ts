/**
 * Makes text from documents, sources and models safe in the files and messages that agents write.
 *
 * The text is shown literally: no program that opens the output calculates, runs, loads or links because of it.
 */
import { escapeHtml } from '../../shared/core/console.ts';

/** Control characters except white space, direction overrides and lone surrogates. */
const INVISIBLE = /(?![\n\r\t])[\p{Cc}\p{Bidi_Control}\ufffe\uffff]/gu;

const withoutInvisible = (text: string): string => text.toWellFormed().replaceAll(INVISIBLE, ' ');

// CSV

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?%?$/;
/** Includes the full-width forms: some spreadsheets read them as the ASCII characters. */
const FORMULA_SIGNS = '=+\\-@|＝＋－＠';
/** Where a cell may start for a program that separates by `;` or tab, regardless of quotes around the cell. */
const CELL_START = new RegExp(`(^|[;\\t\\r\\n])([ "\\u00a0]*)(?=[${FORMULA_SIGNS}])([^;\\t\\r\\n]*)`, 'g');
const CSV_CELL_START = new RegExp(`(^|[,;\\t\\r\\n])([ "\\u00a0]*)(?=[${FORMULA_SIGNS}])([^,;\\t\\r\\n"]*)`, 'g');

const withApostrophe = (_: string, before: string, gap: string, cell: string): string =>
  `${before}${gap}${PLAIN_NUMBER.test(cell.trim()) ? '' : "'"}${cell}`;

/** Escapes one CSV cell (RFC 4180). A formula gets an apostrophe in front; a plain number stays as it is. */
export function toCsvCell(text: string): string {
  const visible = withoutInvisible(text);
  const safe = (/^[\t\r\n]/.test(visible) ? `'${visible}` : visible).replaceAll(CELL_START, withApostrophe);
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Neutralizes a complete CSV or TSV text, such as one that a model wrote. */
export const toSafeCsv = (text: string): string => withoutInvisible(text).replaceAll(CSV_CELL_START, withApostrophe);

// HTML and XML

export const toHtmlText = (text: string): string => escapeHtml(withoutInvisible(text));

/** Escapes text of an XML part, for instance a string cell of a workbook. Such a cell is never a formula. */
export const toXmlText = (text: string): string =>
  withoutInvisible(text).replaceAll(/[&<>"]/g, (sign) => XML_ENTITIES[sign] ?? sign);
const XML_ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const NO_ACTIVE_CONTENT =
  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'\">";

const INACTIVE_START = `<!doctype html>\n${NO_ACTIVE_CONTENT}\n`;
const DOCTYPE = /^\ufeff?\s*<!doctype[^>]*>\s*/i;

/**
 * Neutralizes an HTML page that a model wrote: this policy comes first, so the page runs no script and loads nothing.
 */
export const toInactiveHtml = (page: string): string =>
  page.startsWith(INACTIVE_START) ? page : INACTIVE_START + page.replace(DOCTYPE, '');

// GitHub flavoured Markdown

const MARKDOWN_SIGNS = /[\\`*_[\]|~$^]/g;
/** Characters that would start a heading, a list, a quote or a rule at the start of a line. */
const LINE_START = /^(\s*)([#+=:-]|\d{1,9}(?=[.)](?:\s|$)))/;
/** A zero-width character that keeps a renderer from recognizing a URL. */
const JOINER = '\u2060';

/** Escapes a part of a line; `toMarkdownLine` has to be applied to the whole line. */
export const toMarkdownInline = (text: string): string =>
  withoutInvisible(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(MARKDOWN_SIGNS, '\\$&');

/** Escapes a line made of escaped parts, which together could still form markup. */
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

/** Writes the target of a link. The caller has checked the URL; no character of it can end the link. */
export const toMarkdownTarget = (url: string): string =>
  `<${url.replaceAll(/[<>\\\s|]/g, (sign) => encodeURIComponent(sign))}>`;

/** Writes a table whose cells are already neutralized Markdown of one line each. */
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
