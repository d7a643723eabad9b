/** Passages of documents and the units (sentences, items, rows) they are quoted by. */
import { type BlockHeading, type TextBlock, walkBlocks } from './blocks.ts';

/** A piece of a document with its position: 'page 3', 'sheet Costs', 'lines 10-40', or ''. */
export type Passage = { source: string; place: string; text: string };

/** Returns a file's name without its extension, which says nothing about its topic. */
export const titleOfFile = (source: string): string => source.replace(/\.\w+$/, '');

/** Hardly anything but rows. */
export const isTable = ({ text }: Passage): boolean => {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.filter((line) => line.startsWith('|')).length >= 0.8 * lines.length;
};

/** Readers name the place of an image's text so. */
export const isPicture = ({ place }: Passage): boolean => place === 'image';

export type QuoteCitation = { source: string; place: string; excerpt: string };

/** `[n]` in the text refers to the n-th entry of `cited`. */
export type ExtractResult = { text: string; cited: QuoteCitation[] };

/** Files with these extensions contain source code or data, which is quoted by lines, rather than prose. */
const CODE = new Set(
  `js mjs cjs jsx ts mts cts tsx py rb php java kt kts scala go rs c h cc cpp cxx hpp cs swift m mm lua pl pm r jl sh bash
   zsh ps1 bat sql css scss less vue svelte dart ex exs erl hs clj fs vb asm tf proto gradle cmake dockerfile makefile
   json jsonl ndjson xml xsd xsl yaml yml toml ini cfg conf properties env lock svg`
    .trim()
    .split(/\s+/),
);

export const isCode = (fileName: string): boolean =>
  CODE.has(fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase());

/** Matches invisible characters, except the joiners that Persian and Hindi need. */
const UNSEEN = /(?![\n\r\t])\p{Cc}|(?![\u200c\u200d])\p{Cf}/gu;
const ITEM_MARK = /^(?:[-*+•–·▪◦‣]|\[[ x]\])\s+/iu;

/** Keeps line breaks and tabs. */
export const withoutUnseen = (text: string): string => text.replace(UNSEEN, '').toWellFormed();

/** Converts Markdown or plain text to one line of plain words, without markup and invisible characters. */
export function plainText(text: string): string {
  return withoutUnseen(text)
    .replace(/\n\s*>/g, '\n')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(ITEM_MARK, '')
    .replace(/!?\[([^[\]]{1,300})\]\([^()\s]{1,500}\)/g, '$1')
    .replace(
      /\*\*([^*]{1,500})\*\*|__([^_]{1,500})__|`([^`]{1,500})`/g,
      (_, bold, under, code) => bold ?? under ?? code,
    );
}

/** Returns the cells of a Markdown table row. */
export const cellsOf = (row: string): string[] =>
  row
    .trim()
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => plainText(cell.replaceAll('\\|', '|')));

/** Abbreviations that occur in the middle of a sentence. Those that end sentences, such as "etc.", are not included. */
const ABBREVIATED =
  /(?:^|[\s("'])(?:Dr|Mr|Mrs|Ms|Mx|Prof|Rev|Hon|Sr|Jr|St|Capt|Lt|Col|Gen|Sgt|No|Nos|Nr|Art|Sec|Sect|Cl|Fig|Figs|Tab|Eq|Ref|Vol|pp?|Ch|App|Ex|e\.g|i\.e|cf|vs|viz|approx|ca|incl|excl|resp|tel|ext|max|min|dept|est|Inc|Ltd|Co|Corp|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|z\.B|bzw|Abs|Mme|Mlle|\p{Lu}|(?:\p{Lu}\.)+\p{Lu}|\(?[\divx]{1,4})\.\s*$/iu;
/** These abbreviations may also end a sentence; the text after them decides. */
const UNSURE =
  /(?:Inc|Ltd|Co|Corp|Jr|Sr|(?:\p{Lu}\.)+\p{Lu}|[Ee]st|[Ee]xt|[Mm]ax|[Mm]in|[Tt]el|[Nn]o|[Ee]x|[Aa]pp|[Cc]h|[Aa]rt|[Ss]ec|[Mm]ar|[\divxIVX]{1,4})\.\s*$/u;
const NUMBER_ALONE = /^\(?[\divx]{1,4}\.\s*$/iu;
const GOES_ON = /^[\s"'(]*[\p{Ll}\d]|^\s*\(["“”']/u;
/** Limits the look-back: an abbreviation is within this many characters of the end. */
const LOOK_BACK = 16;

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterFor(language: string): Intl.Segmenter {
  const known = segmenters.get(language);
  if (known) return known;
  const supported = Intl.Segmenter.supportedLocalesOf([language]);
  const made = new Intl.Segmenter(supported[0] ?? 'en', { granularity: 'sentence' });
  segmenters.set(language, made);
  return made;
}

/** Splits prose with `Intl.Segmenter` and rejoins sentences that it splits after an abbreviation. */
export function splitSentences(text: string, language: string): string[] {
  const sentences: string[] = [];
  let open = '';
  for (const { segment } of segmenterFor(language).segment(text)) {
    const joined = open !== '' && !goesOn(open, segment);
    if (joined) {
      sentences.push(open.trim());
      open = '';
    }
    open += segment;
  }
  if (open.trim() !== '') sentences.push(open.trim());
  return sentences;
}

/** A German date: `ab 1. Januar`. */
const DAY = /(?:^|\s)\d{1,2}\.\s*$/;
const MONTH =
  /^\s*(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember)(?!\p{L})/u;

/** A scale of a number that another word follows: `3 Mio. Euro`. */
const SCALED = /\d\s*(?:Mio|Mrd|Tsd|Mill|mln|mld)\.\s*$/iu;
const SCALED_UNIT =
  /^\s*(?:[\p{Ll}€$£¥]|(?:Euro|EUR|US-|USD|Dollar|CHF|Franken|GBP|Pfund|Kronen|Tonnen|Stück|Einwohner\p{L}*|Menschen|Kunden|Nutzer)(?!\p{Ll}))/u;

function goesOn(before: string, after: string): boolean {
  const end = before.slice(-LOOK_BACK);
  if (NUMBER_ALONE.test(before) || (DAY.test(end) && MONTH.test(after))) return true;
  if (SCALED.test(end)) return SCALED_UNIT.test(after);
  if (!ABBREVIATED.test(end)) return false;
  return !UNSURE.test(end) || GOES_ON.test(after);
}

/** A unit that is quoted: a sentence, a list item, a table row, or a block of code. */
export type QuoteUnit = {
  passage: number;
  block: TextBlock;
  /** The quoted text: plain words on one line, except rows and code, which stay as they are. */
  text: string;
  lead: string;
  /** All sentences of the block, and the index of this one. */
  sentences: string[];
  nth: number;
  /** The heading above it, where it answers the question. */
  under?: string;
};

const WHOLE_ITEM = 320;
const MAX_UNIT = 1_200;

export function unitsOf(
  { passage, block }: Pick<QuoteUnit, 'passage' | 'block'>,
  passages: Passage[],
  language: string,
): QuoteUnit[] {
  const text = passages[passage]?.text ?? '';
  const raw = text.slice(block.start, block.end);
  const lead = block.lead ? text.slice(block.lead.start, block.lead.end) : '';
  if (block.kind === 'row' || block.kind === 'code') {
    const kept = withoutUnseen(raw).slice(0, MAX_UNIT);
    return [{ passage, block, text: kept, lead, sentences: [kept], nth: 0 }];
  }
  const plain = plainText(raw);
  // The number of the page does not answer anything.
  if (block.kind === 'prose' && `page ${plain}` === passages[passage]?.place) return [];
  const unit = { passage, block, lead: plainText(lead) };
  if (block.kind === 'prose' && isReceipt(raw))
    return itemsOf(raw).map(({ line, index }) => {
      const own = plainText(line).slice(0, MAX_UNIT);
      return { ...unit, block: { ...block, start: block.start + index }, text: own, sentences: [own], nth: 0 };
    });
  const whole = block.kind === 'heading' || (block.kind !== 'prose' && plain.length <= WHOLE_ITEM);
  const sentences = (whole ? [plain] : splitSentences(plain, language)).map((sentence) => sentence.slice(0, MAX_UNIT));
  return sentences.map((sentence, nth) => ({ ...unit, text: sentence, sentences, nth }));
}

const MIN_RECEIPT_LINES = 4;
/** A tax rate may follow, as in "49.98 A". */
const ENDS_WITH_AMOUNT = /\d[.,]\d\d(?: ?(?:[A-Z*]|€|EUR))?\s*$/u;
const isPriced = (line: string): boolean => ENDS_WITH_AMOUNT.test(line.slice(-MAX_TAIL));
const MAX_TAIL = 30;

/** Whether half of the lines name something and end with its amount, so that each is read by itself. */
function isReceipt(text: string): boolean {
  const lines = text.split('\n');
  const priced = lines.filter((line) => isPriced(line) && /\p{L}{2}/u.test(line));
  return lines.length >= MIN_RECEIPT_LINES && priced.length * 2 >= lines.length;
}

/** The pieces and the price of an item may stand in a line below its name. */
function itemsOf(text: string): { line: string; index: number }[] {
  const items: { line: string; index: number }[] = [];
  for (const { 0: line, index } of text.matchAll(/.+/g)) {
    const above = items.at(-1);
    if (above && !isPriced(above.line) && isPriced(line) && /^\s*\d+ ?[x*×]/.test(line)) above.line += `\n${line}`;
    else items.push({ line, index });
  }
  return items;
}

export function readUnits(passage: number, passages: Passage[], language: string): QuoteUnit[] {
  const { text = '', source = '' } = passages[passage] ?? {};
  const units: QuoteUnit[] = [];
  walkBlocks({ text, code: isCode(source) }, (block) => units.push(...unitsOf({ passage, block }, passages, language)));
  return units;
}

/** Returns the headings above the block, the nearest first. */
export function headingsOf(block: TextBlock): string[] {
  const above: string[] = [];
  for (let at: BlockHeading | undefined = block.heading; at && above.length < 4; at = at.parent)
    above.push(plainText(at.text));
  return above;
}

/** A sentence that begins like this depends on the one before it; `It was decided ...` does not. */
export const NEEDS_PREVIOUS =
  /^["'(]*(?:it(?! (?:is|was|has been|will be) (?:\w+ )?(?:decided|agreed|resolved|planned|expected|estimated|noted|reported|announced|proposed|said)\b)|its|they|their|them|he|she|his|her|this|these|those|that|such|both|neither|either way|however|therefore|otherwise|instead|in that case|in this case|in addition|then|also|but|and|so|below that|er|sie|es|diese[rsnm]?|dies|dann|sonst|il|elle|ils|elles|cela|ce|esto|este|esta)\b/iu;
const COMFORTABLE = 380;

/** A range of sentences within one block. */
type SentenceRange = { unit: QuoteUnit; from: number; to: number };

/** Adds the sentences that this one depends on, and neighbours up to a comfortable length. */
export function withNeighbours(unit: QuoteUnit): SentenceRange {
  const { sentences, nth } = unit;
  const lengthOf = (at: number): number => sentences[at]?.length ?? Number.POSITIVE_INFINITY;
  let [from, to] = [nth, nth];
  let length = lengthOf(nth);
  const fits = (at: number): boolean => length + lengthOf(at) <= COMFORTABLE;
  while (from > 0 && from > nth - 2 && NEEDS_PREVIOUS.test(sentences[from] ?? '')) length += lengthOf(--from);
  while (fits(to + 1)) length += lengthOf(++to);
  while (fits(from - 1)) length += lengthOf(--from);
  return { unit, from, to };
}

/** Adds the sentence that this one refers to, and those that refer to it. */
export function withReferring(unit: QuoteUnit): SentenceRange {
  const { sentences, nth } = unit;
  const refers = (at: number): boolean => NEEDS_PREVIOUS.test(sentences[at] ?? '');
  const from = nth > 0 && refers(nth) ? nth - 1 : nth;
  let to = nth;
  while (refers(to + 1) && to < nth + 2) to++;
  return { unit, from, to };
}

export const rangeText = ({ unit, from, to }: SentenceRange): string => unit.sentences.slice(from, to + 1).join(' ');

/** Each text once. */
export function distinctUnits(units: QuoteUnit[]): QuoteUnit[] {
  const seen = new Set<string>();
  return units.filter(({ text }) => !seen.has(text) && seen.add(text));
}

const SMALL_PICTURE = 700;
export const isSmallPicture = (passage: Passage): boolean => isPicture(passage) && passage.text.length <= SMALL_PICTURE;

/** The lines of a small picture belong together, so it is quoted whole. */
export const wholePictures = (units: readonly QuoteUnit[], passages: Passage[], language: string): QuoteUnit[] =>
  units.flatMap((unit) => {
    const passage = passages[unit.passage];
    return passage && isSmallPicture(passage) ? pictureText(unit.passage, passages, language) : [unit];
  });

/** The lines of a sign are no answers of their own. */
export function pictureText(passage: number, passages: Passage[], language: string): QuoteUnit[] {
  const [first, ...rest] = readUnits(passage, passages, language);
  if (!first) return [];
  const text = [first, ...rest].map((unit) => unit.text).join(' ');
  return [{ ...first, block: { ...first.block, kind: 'prose' as const }, text, sentences: [text], nth: 0 }];
}

/** The most items or rows of a list that are quoted. */
export const MAX_LISTED = 30;
/** The maximum length of text quoted after a heading, a question or a colon. */
const MAX_FOLLOWING = 600;

const announces = ({ text, block }: QuoteUnit): boolean => block.kind === 'heading' || /[:?]$/.test(text);

/** "You must meet the following conditions:" is answered by all of them. */
function announced({ text }: QuoteUnit, below: QuoteUnit[]): QuoteUnit[] {
  const items = text.endsWith(':') ? below.filter(({ block }) => block.kind === 'item') : [];
  return items.length > 0 ? items : below.slice(0, 1);
}

/** Rereads the passages around chosen units; each passage only once. */
export function blockReader(passages: Passage[], language: string) {
  const known = new Map<number, QuoteUnit[]>();
  const unitsIn = (passage: number): QuoteUnit[] => {
    const units = known.get(passage) ?? readUnits(passage, passages, language);
    known.set(passage, units);
    return units;
  };
  const placeOf = ({ passage, block, nth }: QuoteUnit): number =>
    unitsIn(passage).findIndex((other) => other.block.start === block.start && other.nth === nth);

  /** Returns the units after this one, across the end of its page, too. */
  const after = (unit: QuoteUnit): QuoteUnit[] => {
    const rest = unitsIn(unit.passage).slice(placeOf(unit) + 1);
    const goesOn = passages[unit.passage + 1]?.source === passages[unit.passage]?.source;
    return goesOn && rest.length < MAX_LISTED ? [...rest, ...unitsIn(unit.passage + 1)] : rest;
  };

  /**
   * Replaces a heading by the text below it. A question, or a line that ends with a colon, is quoted with what follows.
   */
  const whole = (unit: QuoteUnit): QuoteUnit[] => {
    if (!announces(unit)) return [unit];
    const below: QuoteUnit[] = [];
    let length = 0;
    for (const next of after(unit)) {
      if (length >= MAX_FOLLOWING || next.block.kind === 'heading') break;
      below.push(next);
      length += next.text.length;
    }
    const givesWay = below.length > 0 && (unit.block.kind === 'heading' || below[0]?.lead === unit.text);
    return givesWay ? below : [unit, ...announced(unit, below)];
  };

  /** Returns all items of the list, or rows of the table, that the unit belongs to or introduces. */
  const siblings = (unit: QuoteUnit): QuoteUnit[] => {
    const first = announces(unit) ? after(unit)[0] : unit;
    if (!first || !/^(?:item|row|pair)$/.test(first.block.kind)) return whole(unit);
    const { kind, group } = first.block;
    return unitsIn(first.passage).filter(({ block }) => block.kind === kind && block.group === group);
  };

  return { whole, siblings };
}
