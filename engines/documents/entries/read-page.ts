/** A web page: its title, its date when it tells one, and what a reader would read of it. */
import { Parser } from 'htmlparser2';
import { parseInstant } from '../../../shared/sources/gathered.ts';
import { readHtml } from '../markup/read-html.ts';
import type { ReaderInput } from '../read-document.ts';
import { decodeText } from '../text/decode-text.ts';
import { ENTRY_LIMITS, type EntryShape, type SourceEntry } from './entry.ts';
import { cleanText, oneLine } from './plain-text.ts';

/** Stands around what the page is about. */
const PAGE_FRAME = ['nav', 'aside', 'footer', 'form', 'button', 'dialog'];
const DATE_PROPERTIES = new Set([
  'article:published_time',
  'date',
  'dc.date',
  'dcterms.date',
  'datepublished',
  'last-modified',
]);
/** The head ends long before. */
const HEAD_LENGTH = 200_000;

export function readPage(reading: ReaderInput, { base }: EntryShape): SourceEntry[] | string {
  const text = decodeText(reading.bytes);
  if (text.includes('\0')) return 'is no web page';
  const { title, publishedAt } = headOf(text.slice(0, HEAD_LENGTH));
  const parts = readHtml(reading, PAGE_FRAME);
  const body = cleanText(parts.map((part) => part.text).join('\n\n'), ENTRY_LIMITS.pageText);
  if (body === '') return 'holds no text';
  const heading = /^#{1,6} (.+)$/m.exec(body)?.[1];
  return [
    {
      address: base,
      title: oneLine(title || heading || new URL(base).host).slice(0, ENTRY_LIMITS.title),
      text: body,
      ...(publishedAt === undefined ? {} : { publishedAt }),
    },
  ];
}

function headOf(html: string): { title: string; publishedAt: string | undefined } {
  let title = '';
  let inTitle = false;
  let publishedAt: string | undefined;
  const parser = new Parser({
    onopentag(name, { property = '', name: metaName = '', content = '', itemprop = '', datetime = '' }) {
      // A drawing in the page has titles, too.
      if (name === 'title' && title === '') inTitle = true;
      const key = (property || metaName || itemprop).toLowerCase();
      if (name === 'meta' && DATE_PROPERTIES.has(key)) publishedAt ??= parseInstant(content);
      if (name === 'time') publishedAt ??= parseInstant(datetime);
    },
    ontext(text) {
      if (inTitle && title.length < ENTRY_LIMITS.title) title += text;
    },
    onclosetag(name) {
      if (name === 'title') inTitle = false;
    },
  });
  parser.end(html);
  return { title: title.trim(), publishedAt };
}
