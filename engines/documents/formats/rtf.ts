/** RTF: splits the file into tokens and follows its groups, control words and encodings. */

import type { ReaderInput } from '../document.ts';
import { type DocumentPart, unreadable } from '../document.ts';
import { sectionsOf } from '../markdown.ts';
import { decodeAs } from '../text.ts';
import { type Destination, destinationOf, type Paragraphs, paragraphsFor } from './rtf-paragraphs.ts';

/** A token of RTF: a brace, a control word with its number, a symbol, or bytes of text. */
type Token =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; word: string; number: number | undefined }
  | { kind: 'symbol'; symbol: string }
  /** Bytes as Latin-1. Their meaning depends on the font's encoding. */
  | { kind: 'bytes'; bytes: string };

const TOKEN = /\\([a-z]+)(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([\r\n\0]+)|([^\\{}\r\n\0]+)|\\/iy;

function* tokensOf(rtf: string): Generator<Token> {
  const at = new RegExp(TOKEN);
  for (let match = at.exec(rtf); match; match = at.exec(rtf)) {
    const token = tokenOf(match);
    // `\bin` announces this many bytes of binary data.
    if (token?.kind === 'word' && token.word === 'bin') at.lastIndex += Math.max(token.number ?? 0, 0);
    else if (token) yield token;
  }
}

function tokenOf([, word, digits, hex, symbol, brace, , text]: RegExpExecArray): Token | undefined {
  if (word !== undefined) return { kind: 'word', word, number: digits === undefined ? undefined : Number(digits) };
  if (text !== undefined) return { kind: 'bytes', bytes: text };
  if (hex !== undefined) return { kind: 'bytes', bytes: String.fromCharCode(Number.parseInt(hex, 16)) };
  if (brace !== undefined) return brace === '{' ? { kind: 'open' } : { kind: 'close' };
  return symbol === undefined ? undefined : { kind: 'symbol', symbol };
}

/** Encodings by the character set of a font. */
const BY_CHARSET: Record<number, string> = {
  77: 'macintosh',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
};

const BY_PAGE: Record<number, string> = {
  866: 'ibm866',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  10000: 'macintosh',
  65001: 'utf-8',
};

/** Returns undefined for common character sets; then the document's code page applies. */
const encodingOfCharset = (charset: number): string | undefined => BY_CHARSET[charset];

const encodingOfPage = (page: number): string => BY_PAGE[page] ?? `windows-${page}`;

/** How text looks. Colors are numbers of the color table, the first of which is the program's default. */
type Look = {
  isOff: boolean;
  halfPoints: number;
  color: number;
  marker: number;
  /** How much of the marker or of the paragraph a pattern covers. */
  markerShade: number;
  paragraphFill: number;
  paragraphShade: number;
  /** Whether the text is in a table inside a table. The file says what is behind its cells after their text. */
  isNested: boolean;
  /** Whether nothing else may be behind the text, as in a shape. */
  onWhite: boolean;
};

/** The state of a group, which nested groups inherit. */
type GroupState = {
  destination: Destination;
  optional: boolean;
  font: number;
  unicodeSkip: number;
  style: number;
  look: Look;
};

type RtfReader = {
  state: GroupState;
  stack: GroupState[];
  page: string;
  fonts: Map<number, string>;
  /** Bytes to skip: they repeat a character that was already given as Unicode. */
  toSkip: number;
  /** Collected until a run of one encoding is complete, as a character may take two bytes. */
  bytes: string;
  /** Red, green and blue of each color; undefined is the program's default. */
  colors: (number[] | undefined)[];
  isRowFilled: boolean;
  isPageFilled: boolean;
  paragraphs: Paragraphs;
};

const MAX_DEPTH = 1_000;

const CHARACTERS: Record<string, string> = {
  tab: '\t',
  line: '\n',
  emdash: '—',
  endash: '–',
  emspace: ' ',
  enspace: ' ',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
};
const SYMBOLS: Record<string, string> = { '~': '\u00a0', _: '-', '{': '{', '}': '}', '\\': '\\' };

export function readRtf({ bytes, budget }: ReaderInput): DocumentPart[] {
  const look = { ...PLAIN, ...PLAIN_PARAGRAPH, onWhite: true };
  const first: GroupState = { destination: 'body', optional: false, font: -1, unicodeSkip: 1, style: 0, look };
  const run: RtfReader = {
    state: first,
    stack: [],
    page: 'windows-1252',
    fonts: new Map(),
    toSkip: 0,
    bytes: '',
    colors: [undefined],
    isRowFilled: false,
    isPageFilled: false,
    paragraphs: paragraphsFor(budget),
  };
  for (const token of tokensOf(bytes.toString('latin1'))) {
    if (token.kind === 'bytes') takeBytes(run, token.bytes);
    else {
      flush(run);
      if (token.kind === 'open') open(run);
      else if (token.kind === 'close') close(run);
      else if (token.kind === 'symbol') takeSymbol(run, token.symbol);
      else takeWord(run, token.word, token.number);
    }
  }
  flush(run);
  const { body, margins } = run.paragraphs.end();
  return [...sectionsOf(body), ...margins.map((text) => ({ label: 'header or footer', text }))];
}

function open(run: RtfReader): void {
  if (run.stack.length >= MAX_DEPTH) throw unreadable('tooLarge');
  run.stack.push(run.state);
  run.state = { ...run.state, optional: false };
}

function close(run: RtfReader): void {
  const { destination } = run.state;
  run.state = run.stack.pop() ?? run.state;
  if (destination !== run.state.destination) run.paragraphs.leave(destination);
  run.toSkip = 0;
}

function takeBytes(run: RtfReader, bytes: string): void {
  const skipped = Math.min(run.toSkip, bytes.length);
  run.toSkip -= skipped;
  run.bytes += bytes.slice(skipped);
}

function flush(run: RtfReader): void {
  if (run.bytes === '') return;
  const encoding = run.fonts.get(run.state.font) ?? run.page;
  const text = decodeAs(Buffer.from(run.bytes, 'latin1'), encoding);
  run.bytes = '';
  write(run, text);
}

/** Where text stands that a person reads. */
const HAS_LOOKS: ReadonlySet<Destination> = new Set(['body', 'mark', 'note', 'margin']);

function write(run: RtfReader, text: string): void {
  const { destination, style } = run.state;
  if (destination === 'colors') for (const _ of text.matchAll(/;/g)) run.colors.push(undefined);
  else if (HAS_LOOKS.has(destination) && isUnseen(run)) run.paragraphs.hide(destination, text);
  else run.paragraphs.text(destination, text, style);
}

function takeSymbol(run: RtfReader, symbol: string): void {
  if (symbol === '*') run.state.optional = true;
  else if (symbol === '\n' || symbol === '\r') run.paragraphs.word(run.state.destination, 'par', undefined);
  else {
    const sign = SYMBOLS[symbol];
    if (sign !== undefined) write(run, sign);
  }
}

function takeWord(run: RtfReader, word: string, number: number | undefined): void {
  const { state } = run;
  const destination = destinationOf(word, state.optional);
  state.optional = false;
  if (state.destination !== 'nowhere') LOOK_WORDS[word]?.(run, number);
  const sign = CHARACTERS[word];
  if (destination !== undefined) {
    // Inside a note or margin, nested destinations do not count.
    if (state.destination === 'body' || destination === 'nowhere') state.destination = destination;
  } else if (sign !== undefined) write(run, sign);
  else if (word in ENCODING_WORDS) ENCODING_WORDS[word]?.(run, number ?? 0);
  else if (word === 's' && state.destination === 'styles') state.style = number ?? 0;
  else run.paragraphs.word(state.destination, word, number);
}

/** Control words that change the encoding of the text after them. */
const ENCODING_WORDS: Record<string, (run: RtfReader, number: number) => void> = {
  u: (run, number) => {
    write(run, String.fromCharCode(number & 0xffff));
    run.toSkip = run.state.unicodeSkip;
  },
  uc: (run, number) => {
    run.state.unicodeSkip = number;
  },
  ansicpg: (run, number) => {
    run.page = encodingOfPage(number);
  },
  mac: (run) => {
    run.page = encodingOfPage(10_000);
  },
  f: (run, number) => {
    run.state.font = number;
  },
  fcharset: ({ state, fonts }, number) => {
    const encoding = encodingOfCharset(number);
    if (state.destination === 'fonts' && encoding) fonts.set(state.font, encoding);
  },
};

const PLAIN = { isOff: false, halfPoints: 24, color: 0, marker: 0, markerShade: 0 };
const PLAIN_PARAGRAPH = { paragraphFill: 0, paragraphShade: 0, isNested: false };

/** Text under 3 pt cannot be read. */
const TINY = 6;
const WHITE_FROM = 250;

/** Color 0 is the program's default, whatever the table says. */
const isWhite = (color: number, { colors }: RtfReader): boolean =>
  color > 0 && (colors[color]?.every((part) => part >= WHITE_FROM) ?? false);

/** Whether a color is behind text that is not white, as far as the file says. */
const isFilled = (color: number, run: RtfReader): boolean => color > 0 && !isWhite(color, run);

function isUnseen(run: RtfReader): boolean {
  const { look } = run.state;
  if (look.isOff || look.halfPoints < TINY) return true;
  const isBare = look.onWhite && !look.isNested && !run.isPageFilled && !run.isRowFilled;
  const isShaded = look.markerShade > 0 || look.paragraphShade > 0;
  return (
    isBare && isWhite(look.color, run) && !isShaded && !isFilled(look.marker, run) && !isFilled(look.paragraphFill, run)
  );
}

/** A color part belongs to the last color of the table, which a `;` ends. */
function setColor({ state, colors }: RtfReader, part: number, value: number): void {
  if (state.destination !== 'colors') return;
  const color = colors.pop() ?? [0, 0, 0];
  color[part] = value;
  colors.push(color);
}

const restyle = ({ state }: RtfReader, changed: Partial<Look>): void => {
  state.look = { ...state.look, ...changed };
};

/** Control words that change how the text after them looks, or what is behind it. */
const LOOK_WORDS: Record<string, (run: RtfReader, number: number | undefined) => void> = {
  red: (run, number = 0) => setColor(run, 0, number),
  green: (run, number = 0) => setColor(run, 1, number),
  blue: (run, number = 0) => setColor(run, 2, number),
  plain: (run) => restyle(run, PLAIN),
  v: (run, number) => restyle(run, { isOff: number !== 0 }),
  fs: (run, number = PLAIN.halfPoints) => restyle(run, { halfPoints: number }),
  cf: (run, number = 0) => restyle(run, { color: number }),
  cb: (run, number = 0) => restyle(run, { marker: number }),
  chcbpat: (run, number = 0) => restyle(run, { marker: number }),
  highlight: (run, number = 0) => restyle(run, { marker: number }),
  chshdng: (run, number = 0) => restyle(run, { markerShade: number }),
  pard: (run) => restyle(run, PLAIN_PARAGRAPH),
  cbpat: (run, number = 0) => restyle(run, { paragraphFill: number }),
  shading: (run, number = 0) => restyle(run, { paragraphShade: number }),
  itap: (run, number = 1) => restyle(run, { isNested: number > 1 }),
  shptxt: (run) => restyle(run, { onWhite: false }),
  trowd: (run) => {
    run.isRowFilled = false;
  },
  clcbpat: (run, number = 0) => {
    run.isRowFilled ||= isFilled(number, run);
  },
  clshdng: (run, number = 0) => {
    run.isRowFilled ||= number > 0;
  },
  background: (run) => {
    run.isPageFilled = true;
  },
};
