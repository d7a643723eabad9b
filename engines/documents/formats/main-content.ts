/** The main content of a web page: its article without menus, teasers and footers, and what the page says about itself. */

import { Readability } from '@mozilla/readability';
import { type Handler, Parser } from 'htmlparser2';
import { parseHTML } from 'linkedom';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import { parseInstant } from '../../../shared/sources/parse-instant.ts';
import type { DocumentPart, ReaderInput, ReadingBudget } from '../document.ts';
import { sectionsOf } from '../markdown.ts';
import { decodeText } from '../text.ts';
import { type HtmlBlocks, htmlBlocks, isXhtml, readHtml, SKIPPED_ELEMENTS } from './html.ts';
import { pageLooks } from './html-styles.ts';

/** What a page says about itself. */
type PageHead = {
  title?: string;
  author?: string;
  /** ISO 8601 UTC. */
  publishedAt?: string;
  /** As the page writes it, such as `en-GB`. */
  language?: string;
  /** A claim of the page: it never replaces the URL from which the page was fetched. */
  canonicalUrl?: string;
};

/** `parts` is empty if the page has no text. */
export type MainContent = PageHead & { parts: DocumentPart[] };

/** The part of the DOM that is used here. The types of linkedom need those of a browser. */
type DomNode = {
  nodeType: number;
  localName: string;
  textContent: string;
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  appendChild(child: DomNode): void;
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
};
type DomDocument = {
  documentElement: DomNode;
  head: DomNode;
  body: DomNode;
  createElement(name: string): DomNode;
  createTextNode(text: string): DomNode;
  title: string;
};

const ELEMENT_NODE = 1;
const TEXT_NODE = 3;

/** The time that Readability takes grows with the length and with the number of elements, each times the depth. */
const ARTICLE_LIMITS = { length: 4_000_000, elements: 30_000, depth: 100 };

/** Reads the article of a page. A page that is not an article, or is too large to search for one, is read whole. */
export function readMainContent(input: ReaderInput, base?: string): MainContent {
  const page = parsePage(decodeText(input.bytes), base);
  const article = page.isTooLarge || page.isThread ? undefined : articleOf(page);
  const parts = article ? articleParts(article.content, input.budget) : [];
  if (article && parts.length > 0) return { ...page.head, ...article.head, parts };
  return { ...page.head, parts: readHtml(input, PAGE_FRAME).filter(({ hidden }) => !hidden) };
}

/** Elements around the content of a page, and controls. A form is not one of them: some sites put the whole page in it. */
const PAGE_FRAME = ['nav', 'aside', 'footer', 'dialog', 'button', 'label', 'textarea'];
/** Elements whose texts do not count when the article is compared with the page. */
const FRAME_OF_TEXTS = new Set(['nav', 'aside', 'header', 'footer', 'dialog', 'a']);
const HEAD_ELEMENTS = new Set(['title', 'meta', 'link', 'script']);
/** Readability looks at none of them for text: hidden elements are left out of the tree. */
const UNUSED_ATTRIBUTE = /^(style$|srcset$|on|data-)/;
/** Texts of this length are sentences; menus and captions are shorter. */
const LONG_TEXT = 80;
const PIECE = 65_536;

/** Pages of schema.org's types for questions with answers and for forums: all their posts are content. */
const THREAD_TYPE = /\b(QAPage|DiscussionForumPosting)\b/;

type Page = {
  document: DomDocument;
  head: PageHead;
  longTextLength: number;
  isThread: boolean;
  isTooLarge: boolean;
};

/**
 * Builds the tree in which Readability searches, without scripts, menus and hidden elements. The parser of linkedom has
 * no limit of depth, and it needs the tags `<head>` and `<body>`, which a page may omit.
 */
function parsePage(html: string, base: string | undefined): Page {
  const { document } = parseHTML('<!doctype html><html><head></head><body></body></html>') as { document: DomDocument };
  const { documentElement, head, body } = document;
  const ownElements = new Map([
    ['html', documentElement],
    ['head', head],
    ['body', body],
  ]);
  const page: Page = { document, head: {}, longTextLength: 0, isThread: false, isTooLarge: false };
  const facts = headFacts(base);
  const looks = pageLooks();
  const open: { parent: DomNode; isSkipped: boolean; isFrame: boolean }[] = [];
  let node = body;
  let elements = 0;
  let skipped = 0;
  let frames = 0;

  const addElement = (name: string, attributes: Record<string, string>) => {
    const pageElement = ownElements.get(name);
    const element = pageElement ?? document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
      if (!UNUSED_ATTRIBUTE.test(key)) element.setAttribute(key, value);
    if (!pageElement) (HEAD_ELEMENTS.has(name) ? head : node).appendChild(element);
    node = pageElement ? body : element;
  };
  const handler: Partial<Handler> = {
    onopentag(name, attributes) {
      if (++elements > ARTICLE_LIMITS.elements || open.length >= ARTICLE_LIMITS.depth) page.isTooLarge = true;
      const isSkipped = !looks.open(name, attributes) || isLeftOut(name, attributes);
      const isFrame = FRAME_OF_TEXTS.has(name);
      open.push({ parent: node, isSkipped, isFrame });
      if (isSkipped) skipped++;
      if (isFrame) frames++;
      if (skipped > 0 || page.isTooLarge) return;
      if (THREAD_TYPE.test(attributes.itemtype ?? '')) page.isThread = true;
      facts.note(name, attributes);
      addElement(name, attributes);
    },
    ontext(text) {
      const isShown = looks.text(text);
      if (skipped > 0 || page.isTooLarge || !isShown) return;
      node.appendChild(document.createTextNode(text));
      if (node.localName === 'script' && THREAD_TYPE.test(text)) page.isThread = true;
      const isLong = text.length >= LONG_TEXT && text.trim().length >= LONG_TEXT;
      if (isLong && frames === 0 && !HEAD_ELEMENTS.has(node.localName)) page.longTextLength += text.length;
    },
    onclosetag() {
      looks.close();
      const closed = open.pop();
      if (closed?.isSkipped) skipped--;
      if (closed?.isFrame) frames--;
      node = closed?.parent ?? body;
    },
  };
  const parser = new Parser(handler, { recognizeSelfClosing: isXhtml(html) });
  const end = Math.min(html.length, ARTICLE_LIMITS.length);
  for (let at = 0; at < end && !page.isTooLarge; at += PIECE) parser.write(html.slice(at, at + PIECE));
  parser.end();
  page.head = { ...definedFields({ title: oneLine(document.title) }), ...facts.head };
  page.isTooLarge ||= end < html.length;
  return page;
}

function isLeftOut(name: string, attributes: Record<string, string>): boolean {
  if (name === 'head') return false;
  if (name === 'script') return attributes.type !== 'application/ld+json';
  return name === 'nav' || SKIPPED_ELEMENTS.has(name);
}

const DATE_PROPERTIES = new Set([
  'article:published_time',
  'date',
  'dc.date',
  'dcterms.date',
  'datepublished',
  'last-modified',
]);
const MAX_LINE = 300;
const MAX_URL = 2_048;

const oneLine = (text: string | null | undefined): string | undefined =>
  text?.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_LINE) || undefined;

/** Collects what the elements of a page say about it; the first of each kind counts. */
function headFacts(base: string | undefined) {
  const head: PageHead = {};
  const setField = (field: keyof PageHead, value: string | undefined) => {
    if (value !== undefined) head[field] ??= value;
  };
  return {
    head,
    note(name: string, attributes: Record<string, string>): void {
      const { property = '', name: metaName = '', content = '', itemprop = '', datetime = '' } = attributes;
      const key = (property || metaName || itemprop).toLowerCase();
      if (name === 'html') setField('language', oneLine(attributes.lang));
      if (name === 'time') setField('publishedAt', parseInstant(datetime));
      if (name === 'link' && attributes.rel === 'canonical') setField('canonicalUrl', webUrl(attributes.href, base));
      if (name !== 'meta') return;
      if (DATE_PROPERTIES.has(key)) setField('publishedAt', parseInstant(content));
      if (key === 'author') setField('author', oneLine(content));
    },
  };
}

function webUrl(href = '', base: string | undefined): string | undefined {
  const url = URL.parse(href.trim(), base);
  return url && /^https?:$/.test(url.protocol) && url.href.length <= MAX_URL ? url.href : undefined;
}

/** An article with less than this share of the page's long texts is only one of several, such as posts of a thread. */
const LEAST_SHARE = 0.25;

function articleOf({ document, longTextLength }: Page): { content: DomNode; head: PageHead } | undefined {
  const article = searchArticle(document);
  if (!article?.content || (article.length ?? 0) < LEAST_SHARE * longTextLength) return undefined;
  const publishedAt = article.publishedTime ? parseInstant(article.publishedTime) : undefined;
  const head = { title: oneLine(article.title), author: oneLine(article.byline), publishedAt };
  return { content: article.content, head: definedFields(head) };
}

function searchArticle(document: DomDocument) {
  try {
    return new Readability<DomNode>(document, { serializer: (node) => node as DomNode }).parse();
  } catch {
    // A tree on which it fails is read whole.
    return undefined;
  }
}

function articleParts(content: DomNode, budget: ReadingBudget): DocumentPart[] {
  const blocks = htmlBlocks(budget);
  writeChildren(content, blocks, false);
  return sectionsOf(blocks.end());
}

/** In lists and tables, a text that is only a link is content; elsewhere it is a teaser. */
const HOLDS_LINKS = new Set(['li', 'td', 'th', 'dd', 'dt']);

const CELLS = new Set(['td', 'th']);
const SPANS = ['colspan', 'rowspan'];

function writeChildren({ firstChild }: DomNode, blocks: HtmlBlocks, keepsLinks: boolean): void {
  for (let child = firstChild; child; child = child.nextSibling) {
    const { nodeType, localName } = child;
    if (nodeType === TEXT_NODE) blocks.text(child.textContent);
    if (nodeType !== ELEMENT_NODE || (localName === 'p' && !keepsLinks && isTeaser(child))) continue;
    const [colspan, rowspan] = CELLS.has(localName) ? SPANS.map((name) => child.getAttribute(name) ?? '') : [];
    blocks.open(localName, definedFields({ colspan, rowspan }));
    writeChildren(child, blocks, keepsLinks || HOLDS_LINKS.has(localName));
    blocks.close(localName);
  }
}

const TEASER_LINK_SHARE = 0.9;

function isTeaser(paragraph: DomNode): boolean {
  const length = paragraph.textContent.trim().length;
  return length > 0 && linkedLength(paragraph) >= TEASER_LINK_SHARE * length;
}

function linkedLength({ firstChild }: DomNode): number {
  let length = 0;
  for (let child = firstChild; child; child = child.nextSibling)
    if (child.nodeType === ELEMENT_NODE)
      length += child.localName === 'a' ? child.textContent.trim().length : linkedLength(child);
  return length;
}
