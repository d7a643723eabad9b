/** Builds an entry from what a reader found: plain text without markup, bounded lengths, a valid link and date. */

import { oneLine } from '../../../shared/core/one-line.ts';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import { parseInstant } from '../../../shared/sources/parse-instant.ts';
import type { Figure } from '../../../shared/sources/source-item.ts';
import type { ReaderInput } from '../document.ts';
import { ENTRY_LIMITS, type SourceEntry, startBudget } from '../document.ts';
import { readHtml } from '../formats/html.ts';

/** HTML is cut to this length before it is parsed. */
const MAX_HTML = 400_000;
const MARKUP = /<[a-z!/]|&#?[a-z\d]{1,31};/i;
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Bidi_Control}\u{feff}]/gu;

/** Converts text that may contain HTML to plain text, without tags, scripts or URLs that load something. */
function plainText(text: string, max: number, { limits }: ReaderInput): string {
  const html = text.slice(0, MAX_HTML);
  if (!MARKUP.test(html)) return cleanText(html, max);
  const parts = readHtml({ bytes: Buffer.from(html), budget: startBudget(limits) });
  const visibleParts = parts.filter(({ hidden }) => !hidden);
  return cleanText(visibleParts.map((part) => part.text).join('\n\n'), max);
}

export const cleanText = (text: string, max: number): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, max)
    .toWellFormed();

/** The fields of an entry as a reader found them, before cleaning. */
type RawEntry = {
  title: string;
  text: string;
  published?: string | undefined;
  link?: string | undefined;
  figures?: Figure[];
};

const MAX_LINK_LENGTH = 2_048;
const TITLE_FROM_TEXT = 100;

export function buildEntry(raw: RawEntry, base: string, reading: ReaderInput): SourceEntry | undefined {
  const figures = raw.figures ?? [];
  const text = plainText(raw.text, ENTRY_LIMITS.text, reading) || figures.map(figureText).join('\n');
  const title = oneLine(plainText(raw.title, ENTRY_LIMITS.title, reading)) || firstWords(text);
  if (title === '') return undefined;
  const publishedAt = raw.published === undefined ? undefined : parseInstant(raw.published);
  return {
    address: linkFrom(raw.link, base),
    title,
    text: text || title,
    ...definedFields({ publishedAt }),
    ...(figures.length > 0 ? { figures } : {}),
  };
}

const figureText = ({ label, value, unit }: Figure): string => `${label}: ${value}${unit ? ` ${unit}` : ''}`;

function firstWords(text: string): string {
  const line = oneLine(text.slice(0, 2 * TITLE_FROM_TEXT));
  return line.length <= TITLE_FROM_TEXT ? line : `${line.slice(0, TITLE_FROM_TEXT).replace(/\s\S*$/, '')}…`;
}

/** Accepts only links to web pages; for anything else, such as a script, it returns the base URL. */
function linkFrom(link: string | undefined, base: string): string {
  const url = link?.trim() ? URL.parse(link.trim(), base) : null;
  const isPage = url && /^https?:$/.test(url.protocol) && url.username + url.password === '';
  return isPage && url.href.length <= MAX_LINK_LENGTH ? url.href : base;
}
