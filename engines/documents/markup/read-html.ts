/** HTML: what a reader of the page would read, with its headings, lists and tables. */
import { Parser } from 'htmlparser2';
import type { DocumentPart } from '../document.ts';
import { unreadable } from '../failure.ts';
import { markdownBlocks } from '../markdown/blocks.ts';
import { sectionsOf } from '../markdown/sections.ts';
import type { ReaderInput } from '../read-document.ts';
import { decodeText } from '../text/decode-text.ts';
import { CLOSERS, flushText, OPENERS, type PageState } from './html-page.ts';

const SKIPPED_ELEMENTS = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'head',
  'select',
  'iframe',
  'object',
]);
const BLOCK_ELEMENTS = new Set(
  `address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html
  main nav ol p pre section summary table tbody tfoot thead tr ul h1 h2 h3 h4 h5 h6 li td th caption`.split(/\s+/),
);
const MAX_DEPTH = 2_000;
const PIECE = 65_536;

const NOT_SHOWN = /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i;

const isHidden = ({ hidden, style = '' }: Record<string, string>): boolean =>
  hidden !== undefined || NOT_SHOWN.test(style);

/** `around`: elements that are left out besides. */
export function readHtml({ bytes, budget }: ReaderInput, skipped: readonly string[] = []): DocumentPart[] {
  const isSkipped = (name: string) => SKIPPED_ELEMENTS.has(name) || skipped.includes(name);
  const page: PageState = {
    blocks: markdownBlocks(budget),
    text: '',
    heading: 0,
    inItem: false,
    preformatted: 0,
    lists: [],
    tables: 0,
    rows: [],
  };
  let depth = 0;
  let skippedDepth = 0;
  /** How deep the element lies that the page hides, or 0. */
  let hiddenAt = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_DEPTH) throw unreadable('tooLarge');
        if (isSkipped(name)) skippedDepth++;
        if (hiddenAt === 0 && isHidden(attributes)) hiddenAt = depth;
        if (skippedDepth > 0 || hiddenAt > 0) return;
        if (BLOCK_ELEMENTS.has(name)) flushText(page);
        OPENERS[name]?.(page);
      },
      ontext(piece) {
        if (skippedDepth === 0 && hiddenAt === 0)
          page.text += page.preformatted > 0 ? piece : piece.replaceAll(/\s+/g, ' ');
      },
      onclosetag(name) {
        const wasHidden = hiddenAt > 0;
        if (hiddenAt === depth--) hiddenAt = 0;
        if (skippedDepth === 0) {
          if (wasHidden) return;
          if (BLOCK_ELEMENTS.has(name)) flushText(page);
          CLOSERS[name]?.(page);
        } else if (isSkipped(name)) skippedDepth--;
      },
    },
    { decodeEntities: true },
  );
  const text = decodeText(bytes);
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  parser.end();
  page.tables = 0;
  flushText(page);
  return sectionsOf(page.blocks.all);
}
