/** RTF cut into its signs: braces, control words with their number, bytes in hexadecimal, text. */

export type Token =
  | { kind: 'open' }
  | { kind: 'close' }
  | { kind: 'word'; word: string; number: number | undefined }
  | { kind: 'symbol'; symbol: string }
  /** In Latin-1: what it means depends on the font. */
  | { kind: 'bytes'; bytes: string };

const TOKEN = /\\([a-z]+)(-?\d{1,10})? ?|\\'([\da-f]{2})|\\([^a-z])|([{}])|([\r\n\0]+)|([^\\{}\r\n\0]+)|\\/iy;

export function* tokensOf(rtf: string): Generator<Token> {
  const at = new RegExp(TOKEN);
  for (let found = at.exec(rtf); found; found = at.exec(rtf)) {
    const token = tokenOf(found);
    // What follows is not RTF: so many bytes of it.
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
