/** `GET /files/{fileId}/text`: the content that the readers extracted from a file, as Markdown with locations or as JSON. */

import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { FileAddress } from '../../shared/files/file.ts';
import { requestReading, type StoredReading } from '../../shared/files/reading.ts';
import {
  type DocumentBlock,
  type NotRead,
  type ReadingIndex,
  type ReadingPage,
  type ReadingPart,
  readIndex,
  readStored,
  type Span,
} from '../../shared/files/reading-format.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import { type Query, type Route, type RouteAnswer, route, SANDBOX } from '../http/route.ts';
import type { FilesContext } from './schema.ts';

const TEXTS: Limit = { name: 'text', minute: 60 };
const RETRY_AFTER_SECONDS = 2;
const MAX_RANGE_BYTES = 5_000_000;
/** Lambda returns a body inside JSON of at most 6 MB, in which the body's quotes take two bytes each. */
const MAX_ENCODED_BYTES = 6_000_000;

export const textRoute: Route<FilesContext> = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/files/:fileId/text',
  about: 'Returns the text of a file, as every agent gets it.',
  caller: 'member',
  limit: TEXTS,
  replies: {
    200: 'The text: Markdown with places, or JSON with `format=json`.',
    202: 'The file is being read; ask again after `Retry-After` seconds.',
    422: 'The file cannot be read, for the reason in `error`.',
  },
  async run({ caller, params: { fileId = '' }, query }, context) {
    const options = optionsIn(query);
    const address = { organization: caller.organization, fileId };
    const reading = await requestReading(context, address);
    if (!reading) return readingAnswer(address);
    if (reading.state === 'failed') return { status: 422, body: { error: `The file ${reading.message}.` } };
    const content = await contentOf(context, reading, options);
    if (!content) {
      await requestReading(context, address, { lost: reading.storedAt });
      return readingAnswer(address);
    }
    return options.format === 'json' ? toJsonAnswer(content, { fileId, reading }) : toMarkdownAnswer(content);
  },
});

const readingAnswer = ({ fileId }: FileAddress): RouteAnswer => ({
  status: 202,
  headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` },
  body: { fileId, status: 'reading' },
});

type Range = { from: number; to: number };
type TextOptions = {
  format: 'markdown' | 'json';
  view: 'main' | 'all';
  pages: Range | undefined;
  sheets: Range | undefined;
};

function optionsIn(query: Query): TextOptions {
  return {
    format: choiceIn(query, 'format', ['markdown', 'json']),
    view: choiceIn(query, 'view', ['main', 'all']),
    pages: rangeIn(query, 'pages'),
    sheets: rangeIn(query, 'sheets'),
  };
}

/** The first choice is the default. */
function choiceIn<T extends string>(query: Query, name: string, choices: readonly [T, ...T[]]): T {
  const text = query.get(name) ?? choices[0];
  const chosen = choices.find((choice) => choice === text);
  if (!chosen) throw new Problem('invalid', `${name} must be ${choices.join(' or ')}`);
  return chosen;
}

function rangeIn(query: Query, name: 'pages' | 'sheets'): Range | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(text) ?? [];
  const range = { from: Number(from), to: Number(to) };
  if (range.from >= 1 && range.to >= range.from) return range;
  throw new Problem('invalid', `${name} must be a number or a range, such as 3 or 2-5`);
}

/** The part of a file's content that the query selects. */
type Content = {
  index: ReadingIndex;
  unit: 'pages' | 'sheets';
  /** All pages or sheets of the file. */
  spans: readonly Span[];
  chosen: readonly Span[];
  head?: ReadingIndex['head'];
  pages: ReadingPage[];
  /** The sheets as stored. */
  sheets: unknown[];
};

/** Returns `undefined` if the blob is gone. */
async function contentOf(
  { blobs }: FilesContext,
  reading: StoredReading,
  options: TextOptions,
): Promise<Content | undefined> {
  const index = await readIndex(blobs, reading);
  if (!index) return undefined;
  const content = selectionOf(index, options);
  const [firstSpan] = content.chosen;
  if (!firstSpan) return content;
  const { from, to } = { from: firstSpan.from, to: content.chosen.at(-1)?.to ?? 0 };
  // A stored range beyond this would be loaded only to be rejected.
  if (to - from > 2 * MAX_RANGE_BYTES) throw tooLarge(content);
  const bytes = await readStored(blobs, reading, { from, to });
  if (!bytes) return undefined;
  const pieces = content.chosen.map((span) => JSON.parse(bytes.toString('utf8', span.from - from, span.to - from)));
  return content.spans === index.sheets ? { ...content, sheets: pieces } : { ...content, pages: pieces };
}

function selectionOf(index: ReadingIndex, options: TextOptions): Content {
  const [unit, otherUnit] = index.sheets ? (['sheets', 'pages'] as const) : (['pages', 'sheets'] as const);
  if (options[otherUnit]) throw new Problem('invalid', `This file has ${unit}: give ${unit} in place of ${otherUnit}`);
  const main = options.view === 'main' ? index.main : undefined;
  const typed = options.format === 'json' ? index.sheets : undefined;
  const spans = typed ?? main ?? index.pages;
  const chosen = chooseSpans(spans, { unit, range: options[unit] });
  return { index, unit, spans, chosen, pages: [], sheets: [], ...(main ? { head: index.head } : {}) };
}

function chooseSpans(spans: readonly Span[], { unit, range }: { unit: string; range: Range | undefined }): Span[] {
  if (!range) return [...spans];
  const chosen = spans.filter(({ number }) => number >= range.from && number <= range.to);
  const last = spans.at(-1)?.number ?? 0;
  if (chosen.length > 0 || range.to <= last) return chosen;
  throw new Problem('invalid', `${unit} must lie within 1 to ${last}`);
}

function tooLarge({ unit, spans, chosen }: Content): Problem {
  const [firstSpan] = chosen;
  const last = chosen.findLast(({ to }) => to - (firstSpan?.from ?? 0) <= MAX_RANGE_BYTES / 2);
  const remedy =
    chosen.length === 1 || !firstSpan || !last
      ? 'download the file instead'
      : `ask for fewer, such as ${unit}=${firstSpan.number}-${last.number}`;
  return new Problem('tooLarge', `This range has more than 5 MB: ${remedy}. The file has ${spans.length} ${unit}.`);
}

function answerOf(content: Content, text: string, type: string): RouteAnswer {
  const isTooLarge =
    Buffer.byteLength(text) > MAX_RANGE_BYTES || Buffer.byteLength(JSON.stringify(text)) > MAX_ENCODED_BYTES;
  if (isTooLarge) throw tooLarge(content);
  return { status: 200, text, headers: { ...SANDBOX, 'content-type': `${type}; charset=utf-8` } };
}

// Markdown: the metadata of a web page first, then each part under a comment with its location.

function toMarkdownAnswer(content: Content): RouteAnswer {
  const { index, pages, head } = content;
  const parts = pages.flatMap((page) => page.parts.map(({ label, text }) => `${comment(label)}\n${text}`));
  const notRead = index.notRead.map(({ place, reason }) => comment(`not read: ${place}, ${reason}`));
  const facts = head ? definedFields({ ...headOf(head), language: index.language ?? undefined }) : {};
  const front = Object.keys(facts).length > 0 ? [frontMatter(facts)] : [];
  return answerOf(content, `${[...front, ...parts, ...notRead].join('\n\n')}\n`, 'text/markdown');
}

/** Escapes the end of a comment, because locations contain headings and sheet names. */
const comment = (text: string): string => `<!-- ${text.replaceAll('--', '- -').replaceAll(/\s+/g, ' ')} -->`;

const frontMatter = (facts: Record<string, string>): string =>
  ['---', ...Object.entries(facts).map(([name, value]) => `${name}: ${JSON.stringify(value)}`), '---'].join('\n');

const headOf = ({ title, author, publishedAt: date, canonicalUrl }: NonNullable<ReadingIndex['head']>) => ({
  ...definedFields({ title, author, date, canonicalUrl }),
});

// JSON.

type OrderedBlock = DocumentBlock & { order: number };

function toJsonAnswer(content: Content, { fileId, reading }: { fileId: string; reading: StoredReading }): RouteAnswer {
  const { index, head, pages, sheets } = content;
  const body = {
    fileId,
    kind: index.kind,
    language: index.language,
    readerVersion: reading.readerVersion,
    ...(head ? headOf(head) : {}),
    pages: pages.map(pageView),
    tables: pages.flatMap(({ tables = [] }) => tables),
    sheets,
    notRead: index.notRead satisfies NotRead[],
  };
  return answerOf(content, JSON.stringify(body), 'application/json');
}

function pageView({ number, parts }: ReadingPage) {
  const visibleParts = parts.filter(({ hidden }) => !hidden);
  const blocks = parts.flatMap(blocksOf).map((block, order): OrderedBlock => ({ ...block, order }));
  const ocr = parts.find((part) => part.ocr)?.ocr;
  const place = parts[0]?.label ?? '';
  return { number, place, text: visibleParts.map(({ text }) => text).join('\n\n'), blocks, ...definedFields({ ocr }) };
}

function blocksOf({ text, hidden, blocks }: ReadingPart): DocumentBlock[] {
  const partBlocks =
    blocks ?? text.split(/\n{2,}/).flatMap((piece) => (piece.trim() === '' ? [] : [markdownBlock(piece)]));
  return hidden ? partBlocks.map((block) => ({ ...block, hidden: true })) : partBlocks;
}

const KINDS = [
  ['heading', /^#{1,6} /],
  ['table', /^\|/],
  ['list', /^\s*(?:[-*+]|\d+[.)]) /],
] as const;

const markdownBlock = (text: string): DocumentBlock => ({
  kind: KINDS.find(([, begins]) => begins.test(text))?.[0] ?? 'paragraph',
  text,
});
