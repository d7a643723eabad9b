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
  for (let found = at.exec(rtf); found; found = at.exec(rtf)) {
    const token = tokenOf(found);
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

/** The state of a group, which nested groups inherit. */
type GroupState = { destination: Destination; optional: boolean; font: number; unicodeSkip: number; style: number };

type RtfReader = {
  state: GroupState;
  stack: GroupState[];
  page: string;
  fonts: Map<number, string>;
  /** Bytes to skip: they repeat a character that was already given as Unicode. */
  toSkip: number;
  /** Collected until a run of one encoding is complete, as a character may take two bytes. */
  bytes: string;
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
  const first: GroupState = { destination: 'body', optional: false, font: -1, unicodeSkip: 1, style: 0 };
  const run: RtfReader = {
    state: first,
    stack: [],
    page: 'windows-1252',
    fonts: new Map(),
    toSkip: 0,
    bytes: '',
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
  run.paragraphs.text(run.state.destination, text, run.state.style);
}

function takeSymbol(run: RtfReader, symbol: string): void {
  if (symbol === '*') run.state.optional = true;
  else if (symbol === '\n' || symbol === '\r') run.paragraphs.word(run.state.destination, 'par', undefined);
  else {
    const sign = SYMBOLS[symbol];
    if (sign !== undefined) run.paragraphs.text(run.state.destination, sign, run.state.style);
  }
}

function takeWord(run: RtfReader, word: string, number: number | undefined): void {
  const { state } = run;
  const destination = destinationOf(word, state.optional);
  state.optional = false;
  const sign = CHARACTERS[word];
  if (destination !== undefined) {
    // Inside a note or margin, nested destinations do not count.
    if (state.destination === 'body' || destination === 'nowhere') state.destination = destination;
  } else if (sign !== undefined) run.paragraphs.text(state.destination, sign, state.style);
  else if (word in ENCODING_WORDS) ENCODING_WORDS[word]?.(run, number ?? 0);
  else if (word === 's' && state.destination === 'styles') state.style = number ?? 0;
  else run.paragraphs.word(state.destination, word, number);
}

/** Control words that change the encoding of the text after them. */
const ENCODING_WORDS: Record<string, (run: RtfReader, number: number) => void> = {
  u: (run, number) => {
    const { destination: place, style, unicodeSkip } = run.state;
    run.paragraphs.text(place, String.fromCharCode(number & 0xffff), style);
    run.toSkip = unicodeSkip;
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
