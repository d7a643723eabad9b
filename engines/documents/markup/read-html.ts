/** HTML: what a reader of the page would read, with its headings, lists and tables. */
import { Parser } from 'htmlparser2';
import type { Part } from '../document.ts';
import { unreadable } from '../failure.ts';
import { blocksFor } from '../markdown/blocks.ts';
import { sectionsOf } from '../markdown/sections.ts';
import type { Reading } from '../read-document.ts';
import { decodeText } from '../text/decode-text.ts';
import { CLOSERS, OPENERS, type Page, put } from './html-page.ts';

const UNREAD = new Set(['script', 'style', 'template', 'noscript', 'svg', 'head', 'select', 'iframe', 'object']);
const BREAKS = new Set(
  `address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html
  main nav ol p pre section summary table tbody tfoot thead tr ul h1 h2 h3 h4 h5 h6 li td th caption`.split(/\s+/),
);
const MOST_DEPTH = 2_000;
const PIECE = 65_536;

const NOT_SHOWN = /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i;

const isHidden = ({ hidden, style = '' }: Record<string, string>): boolean =>
  hidden !== undefined || NOT_SHOWN.test(style);

/** `around`: elements that are left out besides. */
export function readHtml({ bytes, budget }: Reading, around: readonly string[] = []): Part[] {
  const isUnread = (name: string) => UNREAD.has(name) || around.includes(name);
  const page: Page = {
    blocks: blocksFor(budget),
    text: '',
    heading: 0,
    inItem: false,
    preformatted: 0,
    lists: [],
    tables: 0,
    rows: [],
  };
  let depth = 0;
  let unread = 0;
  /** How deep the element lies that the page hides, or 0. */
  let hiddenAt = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MOST_DEPTH) throw unreadable('tooLarge');
        if (isUnread(name)) unread++;
        if (hiddenAt === 0 && isHidden(attributes)) hiddenAt = depth;
        if (unread > 0 || hiddenAt > 0) return;
        if (BREAKS.has(name)) put(page);
        OPENERS[name]?.(page);
      },
      ontext(piece) {
        if (unread === 0 && hiddenAt === 0) page.text += page.preformatted > 0 ? piece : piece.replaceAll(/\s+/g, ' ');
      },
      onclosetag(name) {
        const wasHidden = hiddenAt > 0;
        if (hiddenAt === depth--) hiddenAt = 0;
        if (unread === 0) {
          if (wasHidden) return;
          if (BREAKS.has(name)) put(page);
          CLOSERS[name]?.(page);
        } else if (isUnread(name)) unread--;
      },
    },
    { decodeEntities: true },
  );
  const text = decodeText(bytes);
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  parser.end();
  page.tables = 0;
  put(page);
  return sectionsOf(page.blocks.all);
}
