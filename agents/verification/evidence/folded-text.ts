/** Texts as their words alone: without capitals, white space, marks of Markdown, and punctuation that is in no word or figure. */

/** A folded text, and where in its original each character of it begins. */
export type FoldedText = { text: string; starts: Int32Array };

const UNKNOWN = 0;
const WORD = 1;
const DIGIT = 2;
/** What parts words: white space, cells' borders, punctuation. */
const SPACE = 3;
const DROPPED = 4;
const HYPHEN = 5;
const DASH = 6;
const QUOTE = 7;
const POINT = 8;
const COLON = 9;
const CURRENCY = 10;
const PERCENT = 11;
const OTHER = 12;

const KINDS = new Map(
  (
    [
      [SPACE, '|=<>■□●◦▪'],
      [DROPPED, '*`~\\\u00ad\u200b\u200c\u200d\u2060\ufeff'],
      [HYPHEN, '-\u2010\u2011'],
      [DASH, '\u2012\u2013\u2014\u2015\u2212'],
      [QUOTE, '\'"‘’‚‛“”„‟«»‹›´′″'],
      [POINT, '.,'],
      [COLON, ':'],
      [PERCENT, '%'],
    ] as const
  ).flatMap(([kind, signs]) => [...signs].map((sign): [string, number] => [sign, kind])),
);

/** Whether a word or a figure goes on over this position. */
export const isInsideWord = (text: string, at: number): boolean =>
  isWord(kindAt(text, at - 1)) &&
  isWord(kindAt(text, at)) &&
  !isUnspaced(text.charCodeAt(at - 1)) &&
  !isUnspaced(text.charCodeAt(at));

/**
 * `non-\nGAAP`, `nonGAAP` and `**Non-GAAP**` become `nongaap`; `| EBIT | € 1,608 |` and `EBIT: €1,608` become
 * `ebit €1,608`. Points, commas, colons and dashes inside figures stay.
 */
export function foldText(text: string): FoldedText {
  const writer = openWriter(text.length + 8);
  for (let at = 0; at < text.length; ) {
    const kind = kindAt(text, at);
    at = isWord(kind) || kind >= CURRENCY ? writeCharacter(writer, text, at, kind) : writeSign(writer, text, at, kind);
  }
  return writer.folded();
}

const foldedTextCache = new WeakMap<object, FoldedText>();

/** Many quotes are looked for in the same parts. */
export function cachedFoldedText(part: { readonly text: string }): FoldedText {
  const cached = foldedTextCache.get(part);
  if (cached) return cached;
  const folded = foldText(part.text);
  foldedTextCache.set(part, folded);
  return folded;
}

/** The stretch of the original that a stretch of the folded text, which is not empty, was made from. */
export function originalStretch(text: string, { starts }: FoldedText, from: number, to: number) {
  return { from: starts[from] ?? 0, to: endOfCharacter(text, starts[to - 1] ?? 0) };
}

function kindOf(character: string): number {
  const kind = KINDS.get(character);
  if (kind !== undefined) return kind;
  if (/\p{Nd}/u.test(character)) return DIGIT;
  if (/[\p{L}\p{N}\p{M}]/u.test(character)) return WORD;
  if (/\p{Sc}/u.test(character)) return CURRENCY;
  return /[\s\p{P}]/u.test(character) ? SPACE : OTHER;
}

/** In the form that capitals have in lower case: those of `ß` are `SS`. */
const formOf = (character: string): string =>
  character.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').replaceAll('ß', 'ss').replaceAll('i\u0307', 'i');

/** By code unit, worked out when one is first met; half a surrogate pair counts as a letter. */
const kinds = new Uint8Array(65_536);
const forms: string[] = [];

function kindAt(text: string, at: number): number {
  if (at < 0 || at >= text.length) return SPACE;
  const code = text.charCodeAt(at);
  if (kinds[code] === UNKNOWN) {
    const character = String.fromCharCode(code);
    const form = isSurrogate(code) ? character : formOf(character);
    forms[code] = form;
    kinds[code] = isSurrogate(code) ? WORD : KINDS.has(character) ? kindOf(character) : kindOf(form.charAt(0));
  }
  return kinds[code] ?? OTHER;
}

const isSurrogate = (code: number): boolean => code >= 0xd8_00 && code <= 0xdf_ff;
const isAccent = (code: number): boolean => code >= 0x03_00 && code <= 0x03_6f;
/** Chinese and Japanese have no spaces between words: a line ends anywhere. */
const isUnspaced = (code: number): boolean => code >= 0x2e_80 && code <= 0x9f_ff;
const isWord = (kind: number): boolean => kind === WORD || kind === DIGIT;

/** Where the character that begins here ends, with its accents. */
function endOfCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at);
  let end = at + (code >= 0xd8_00 && code <= 0xdb_ff ? 2 : 1);
  while (end < text.length && isAccent(text.charCodeAt(end))) end++;
  return Math.min(end, text.length);
}

/** A sign such as the Arabic greeting in one character would make a text many times as long. */
const LONGEST_FORM = 4;

function formAt(text: string, at: number, end: number): string {
  const form = end === at + 1 ? (forms[text.charCodeAt(at)] ?? '') : formOf(text.slice(at, end));
  return form.length > LONGEST_FORM ? text.slice(at, end) : form;
}

/** What a sign between two characters becomes: a sign of its own, nothing at all, or a space. */
function signAt(text: string, at: number, kind: number): string {
  const [before, behind] = [kindAt(text, at - 1), kindAt(text, at + 1)];
  if (kind === HYPHEN || kind === DASH) return behind === DIGIT ? '-' : ' ';
  if (kind === COLON) return before === DIGIT && behind === DIGIT ? ':' : ' ';
  if (!isWord(before) || !isWord(behind)) return ' ';
  return kind === QUOTE ? "'" : text.charAt(at);
}

/** Behind the hyphen of a compound, or of a word that is divided at the end of a line, stands the rest of the word. */
function restOfWord(text: string, at: number): number | undefined {
  if (kindAt(text, at - 1) !== WORD) return undefined;
  let next = at + 1;
  while (next < text.length && /\s/.test(text.charAt(next))) next++;
  return next < text.length && kindAt(text, next) === WORD ? next : undefined;
}

const isGlued = (before: number, kind: number): boolean =>
  (before === CURRENCY && kind === DIGIT) || (before === DIGIT && (kind === CURRENCY || kind === PERCENT));

/** The cells of a table hold their line breaks so. */
const BREAK = /^<br ?\/?>/i;
const LESS_THAN = 0x3c;

type Writer = ReturnType<typeof openWriter>;

/** Collects code units: a string that grows by single characters is slow to search. */
function openWriter(capacity: number) {
  let codes = new Uint16Array(capacity);
  let starts = new Int32Array(capacity);
  let length = 0;
  let lastKind = SPACE;
  let isSpacePending = false;
  const append = (code: number, start: number) => {
    if (length === codes.length) {
      const [fewCodes, fewStarts] = [codes, starts];
      codes = new Uint16Array(2 * length);
      codes.set(fewCodes);
      starts = new Int32Array(2 * length);
      starts.set(fewStarts);
    }
    codes[length] = code;
    starts[length++] = start;
  };
  const needsSpace = (code: number, kind: number) =>
    length > 0 && !isGlued(lastKind, kind) && !(isUnspaced(code) && isUnspaced(codes[length - 1] ?? 0));
  return {
    space: () => {
      isSpacePending = true;
    },
    write(code: number, start: number, kind: number) {
      if (isSpacePending && needsSpace(code, kind)) append(0x20, start);
      isSpacePending = false;
      append(code, start);
      lastKind = kind;
    },
    folded: (): FoldedText => ({
      text: new TextDecoder('utf-16le').decode(codes.subarray(0, length)),
      starts: starts.slice(0, length),
    }),
  };
}

/** Each returns where the next character begins. */
function writeCharacter(writer: Writer, text: string, at: number, kind: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x80 && !isAccent(text.charCodeAt(at + 1))) {
    writer.write(code >= 0x41 && code <= 0x5a ? code + 0x20 : code, at, kind);
    return at + 1;
  }
  const end = endOfCharacter(text, at);
  const form = formAt(text, at, end);
  for (let nth = 0; nth < form.length; nth++) writer.write(form.charCodeAt(nth), at, kind);
  return end;
}

function writeSign(writer: Writer, text: string, at: number, kind: number): number {
  if (kind === DROPPED) return at + 1;
  if (kind === SPACE) {
    writer.space();
    return at + (text.charCodeAt(at) === LESS_THAN ? (BREAK.exec(text.slice(at, at + 6))?.[0].length ?? 1) : 1);
  }
  const wordEnd = kind === HYPHEN ? restOfWord(text, at) : undefined;
  if (wordEnd !== undefined) return wordEnd;
  const sign = signAt(text, at, kind);
  if (sign === ' ') writer.space();
  else writer.write(sign.charCodeAt(0), at, OTHER);
  return at + 1;
}
