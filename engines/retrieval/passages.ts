/** Passages of documents and the units (sentences, items, rows) they are quoted by. */
import { type BlockHeading, type TextBlock, walkBlocks } from './blocks.ts';

/** A piece of a document with its position: 'page 3', 'sheet Costs', 'lines 10-40', or ''. */
export type Passage = { source: string; place: string; text: string };

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
  const cached = segmenters.get(language);
  if (cached) return cached;
  const supported = Intl.Segmenter.supportedLocalesOf([language]);
  const segmenter = new Intl.Segmenter(supported[0] ?? 'en', { granularity: 'sentence' });
  segmenters.set(language, segmenter);
  return segmenter;
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
};

const WHOLE_ITEM = 320;
const MAX_UNIT = 1_200;

function unitsOf(
  { passage, block }: Pick<QuoteUnit, 'passage' | 'block'>,
  passages: Passage[],
  language: string,
): QuoteUnit[] {
  const text = passages[passage]?.text ?? '';
  const raw = text.slice(block.start, block.end);
  const lead = block.lead ? text.slice(block.lead.start, block.lead.end) : '';
  if (block.kind === 'row' || block.kind === 'code') {
    const visibleText = withoutUnseen(raw).slice(0, MAX_UNIT);
    return [{ passage, block, text: visibleText, lead, sentences: [visibleText], nth: 0 }];
  }
  const plain = plainText(raw);
  // The number of the page does not answer anything.
  if (block.kind === 'prose' && `page ${plain}` === passages[passage]?.place) return [];
  const unit = { passage, block, lead: plainText(lead) };
  const whole = block.kind === 'heading' || (block.kind !== 'prose' && plain.length <= WHOLE_ITEM);
  const sentences = (whole ? [plain] : splitSentences(plain, language)).map((sentence) => sentence.slice(0, MAX_UNIT));
  return sentences.map((sentence, nth) => ({ ...unit, text: sentence, sentences, nth }));
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
