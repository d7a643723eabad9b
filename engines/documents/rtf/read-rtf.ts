/** RTF: follows its groups and states, and puts a paragraph, a cell or a row down whenever one ends. */
import type { Part } from '../document.ts';
import { unreadable } from '../failure.ts';
import { sectionsOf } from '../markdown/sections.ts';
import type { Reading } from '../read-document.ts';
import { decodeAs } from '../text/decode-text.ts';
import { encodingOfCharset, encodingOfPage } from './code-pages.ts';
import { type Place, placeOf } from './destinations.ts';
import { type Paragraphs, paragraphsFor } from './paragraphs.ts';
import { tokensOf } from './tokens.ts';

type State = { place: Place; optional: boolean; font: number; unicodeSkip: number; style: number };

type Run = {
  state: State;
  stack: State[];
  page: string;
  fonts: Map<number, string>;
  /** Bytes that stand for a character that was already given as Unicode. */
  toSkip: number;
  /** Bytes wait here until a run of one encoding is complete: a character may need two. */
  bytes: string;
  out: Paragraphs;
};

const MOST_DEPTH = 1_000;

const SIGNS: Record<string, string> = {
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

export function readRtf({ bytes, budget }: Reading): Part[] {
  const first: State = { place: 'body', optional: false, font: -1, unicodeSkip: 1, style: 0 };
  const run: Run = {
    state: first,
    stack: [],
    page: 'windows-1252',
    fonts: new Map(),
    toSkip: 0,
    bytes: '',
    out: paragraphsFor(budget),
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
  const { body, margins } = run.out.end();
  return [...sectionsOf(body), ...margins.map((text) => ({ label: 'header or footer', text }))];
}

function open(run: Run): void {
  if (run.stack.length >= MOST_DEPTH) throw unreadable('tooLarge');
  run.stack.push(run.state);
  run.state = { ...run.state, optional: false };
}

function close(run: Run): void {
  const { place } = run.state;
  run.state = run.stack.pop() ?? run.state;
  if (place !== run.state.place) run.out.leave(place);
  run.toSkip = 0;
}

function takeBytes(run: Run, bytes: string): void {
  const skipped = Math.min(run.toSkip, bytes.length);
  run.toSkip -= skipped;
  run.bytes += bytes.slice(skipped);
}

function flush(run: Run): void {
  if (run.bytes === '') return;
  const encoding = run.fonts.get(run.state.font) ?? run.page;
  const text = decodeAs(Buffer.from(run.bytes, 'latin1'), encoding);
  run.bytes = '';
  run.out.text(run.state.place, text, run.state.style);
}

function takeSymbol(run: Run, symbol: string): void {
  if (symbol === '*') run.state.optional = true;
  else if (symbol === '\n' || symbol === '\r') run.out.word(run.state.place, 'par', undefined);
  else {
    const sign = SYMBOLS[symbol];
    if (sign !== undefined) run.out.text(run.state.place, sign, run.state.style);
  }
}

function takeWord(run: Run, word: string, number: number | undefined): void {
  const { state } = run;
  const place = placeOf(word, state.optional);
  state.optional = false;
  const sign = SIGNS[word];
  if (place !== undefined) {
    // What hangs on a note or a margin stays there.
    if (state.place === 'body' || place === 'nowhere') state.place = place;
  } else if (sign !== undefined) run.out.text(state.place, sign, state.style);
  else if (word in CHANGES) CHANGES[word]?.(run, number ?? 0);
  else if (word === 's' && state.place === 'styles') state.style = number ?? 0;
  else run.out.word(state.place, word, number);
}

/** Control words that change how what follows is read. */
const CHANGES: Record<string, (run: Run, number: number) => void> = {
  u: (run, number) => {
    const { place, style, unicodeSkip } = run.state;
    run.out.text(place, String.fromCharCode(number & 0xffff), style);
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
    if (state.place === 'fonts' && encoding) fonts.set(state.font, encoding);
  },
};
