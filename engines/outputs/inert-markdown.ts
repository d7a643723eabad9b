/**
 * Makes text from documents, sources and models safe in the files and messages that agents write. The text is shown
 * literally, or as Markdown without active content: no program that opens the output calculates, runs, loads or links
 * because of it.
 */
import { escapeHtml } from '../../shared/core/console.ts';

/** Control characters except white space, direction overrides and lone surrogates. */
const INVISIBLE = /(?![\n\r\t])[\p{Cc}\p{Bidi_Control}\ufffe\uffff]/gu;

const withoutInvisible = (text: string): string => text.toWellFormed().replaceAll(INVISIBLE, ' ');

// CSV

const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?%?$/;
/** Includes the full-width forms: some spreadsheets read them as the ASCII characters. */
const FORMULA_SIGNS = '=+\\-@|＝＋－＠';
/** What programs may drop in front of a formula: quotes, the sign of a percentage, and spaces of every width, also none. */
const GAP = '[\\p{Zs}\\u2028\\u2029\\u2800\\p{Default_Ignorable_Code_Point}"%]*';
/** A cell's start for programs that separate by `;` or tab, regardless of quotes around the cell. */
const CELL_START = new RegExp(`(^|[;\\t\\r\\n])(${GAP})(?=[${FORMULA_SIGNS}])([^;\\t\\r\\n]*)`, 'gu');
const CSV_CELL_START = new RegExp(`(^|[,;\\t\\r\\n])(${GAP})(?=[${FORMULA_SIGNS}])([^,;\\t\\r\\n"]*)`, 'gu');

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

// Markdown that a model wrote: nothing loads by itself, and links lead only to known URLs. Without this, a model that obeys
// a malicious file could leak what it read inside a URL.

/** Ends at white space, quotes and whatever closes a link. Matches more than a renderer would, never less. */
const ADDRESS = /(?:[a-z][a-z0-9+.-]{1,30}:\/\/|www\.)[^\s<>`"]+/gi;

const TRAILING = new Set(`.,;:!?'")]}*_~|\\`);

const FENCE = /^(`{3,}|~{3,})[^\n`]*\n[\s\S]*?(?:\n {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm;

/** A fence inside a list or a quote ends with it, which only a Markdown renderer can tell. */
const INNER_FENCE = /^(?!`{3}|~{3})[^\n]*?(?:`{3}|~{3})/m;

const TARGET = /\](\(|:)(\s*<?)([^\s>)]*)/g;

/** An anchor in the same text, or a file in the same folder. */
const BESIDE = /^[#\w][\w.-]*$/;

function trimAddress(address: string): string {
  let end = address.length;
  while (end > 0 && TRAILING.has(address[end - 1] ?? '')) end--;
  return address.slice(0, end);
}

/** Returns the URLs in the texts, each both in full and as a bracketed link would end it. */
export function addressesIn(texts: Iterable<string>): Set<string> {
  const addresses = new Set<string>();
  for (const text of texts) {
    for (const [address] of text.matchAll(ADDRESS)) {
      addresses.add(trimAddress(address));
      addresses.add(trimAddress(address.split(/[)\]]/, 1)[0] ?? ''));
    }
  }
  return addresses;
}

/** Text without any of these marks is safe as it is. */
const SIGNS = /[<[\]]|:\/\/|www\./i;

/** Neutralizes HTML tags, images and unknown URLs. `known` is called at most once, and only if the text has URLs. */
export function toInert(text: string, knownAddresses: () => ReadonlySet<string>): string {
  if (!SIGNS.test(text)) return text;
  let urls: ReadonlySet<string> | undefined;
  const isKnown = (address: string) => {
    urls ??= knownAddresses();
    return urls.has(address);
  };
  const plain = (piece: string) => withoutActiveContent(piece, isKnown);
  if (INNER_FENCE.test(text)) return plain(text);
  let output = '';
  let at = 0;
  for (const fence of text.matchAll(FENCE)) {
    output += plain(text.slice(at, fence.index)) + fence[0];
    at = fence.index + fence[0].length;
  }
  return output + plain(text.slice(at));
}

const withoutActiveContent = (text: string, isKnown: (address: string) => boolean): string =>
  withoutTags(text)
    .replaceAll('![', '[')
    .replace(TARGET, (as, sign: string, before: string, target: string) =>
      BESIDE.test(target) || target === '' || isKnown(target) ? as : `] ${sign}${before}${target}`,
    )
    .split('\n')
    .map((line) => withoutAddresses(line, isKnown))
    .join('\n');

/** Turns each unknown URL into inline code, unless it is inline code already, which means between two backticks. */
function withoutAddresses(line: string, isKnown: (address: string) => boolean): string {
  let output = '';
  let at = 0;
  let ticks = 0;
  for (const { 0: address, index } of line.matchAll(ADDRESS)) {
    const between = line.slice(at, index);
    ticks += between.split('`').length - 1;
    const url = trimAddress(address);
    at = index + url.length;
    const isLeft = isKnown(url) || (ticks % 2 === 1 && line[at] === '`');
    // Two adjacent backticks would read as one longer delimiter, so a space keeps them apart.
    const space = (beside: string | undefined) => (beside === '`' ? ' ' : '');
    output += between + (isLeft ? url : `${space(line[index - 1])}\`${url}\`${space(line[at])}`);
  }
  return output + line.slice(at);
}

const TAG = /<(?=[a-z/!?])(?![a-z][a-z0-9+.-]{1,30}:\/\/[^\s<>`]*>)/gi;

const CODE = /(?<![\\`])(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g;

/**
 * Escapes tags outside of inline code. If the backticks of a paragraph do not pair up, its tags are escaped everywhere.
 */
const withoutTags = (text: string): string =>
  text
    .split(/(\n[ \t]*\n)/)
    .map((paragraph) => {
      const isClear = !paragraph.replace(CODE, '').includes('`');
      if (!isClear) return paragraph.replace(TAG, '&lt;');
      let output = '';
      let at = 0;
      for (const code of paragraph.matchAll(CODE)) {
        output += paragraph.slice(at, code.index).replace(TAG, '&lt;') + code[0];
        at = code.index + code[0].length;
      }
      return output + paragraph.slice(at).replace(TAG, '&lt;');
    })
    .join('');
