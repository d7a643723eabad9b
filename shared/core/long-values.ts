/** Values that may exceed one row: their JSON text in several rows, written once and never changed. */

import type { Draft, Key, Row, Table } from '../ports.ts';
import { definedFields } from './optional-fields.ts';
import { packText, unpackText } from './packed-text.ts';
import { getEventually } from './table-access.ts';

/** Characters of JSON text in one row; the row fits even if each of them needs an escape. */
const PIECE_CHARACTERS = 100_000;
const MAX_PIECES = 50;
/** A shorter text is one write unit as it is. */
const PACKED_FROM = 750;

/** The first piece contains the number of pieces. `packed`: a reader that knows no packed pieces reads `text` instead. */
type Piece = { text: string; packed?: string; pieces?: number };
export type LongRowLocation = { pk: string; name: string };

const pieceKey = ({ pk, name }: LongRowLocation, at: number): Key => ({
  pk,
  sk: `${name}#${String(at).padStart(2, '0')}`,
});

/** `toOlderReleases`: what releases that cannot read packed values get instead of a long one. Only values that have it are packed. */
type LongRow = LongRowLocation & { value: unknown; toOlderReleases?: unknown; expiresAt?: number };

/** The first piece is written last, so that a reader who finds it finds all. */
export function longDrafts({ value, toOlderReleases, expiresAt, ...location }: LongRow): Draft<Piece>[] {
  const json = JSON.stringify(value);
  const texts = piecesOf(json);
  if (texts.length > MAX_PIECES) {
    throw new RangeError(`A value has at most ${MAX_PIECES * PIECE_CHARACTERS} characters.`);
  }
  const packed = toOlderReleases === undefined || json.length < PACKED_FROM ? [] : packedPieces(texts);
  const substitute = JSON.stringify(toOlderReleases);
  const drafts = texts.map((text, at): Draft<Piece> => {
    const packedText = packed[at];
    const stored = packedText === undefined ? { text } : { text: at === 0 ? substitute : '', packed: packedText };
    const piece = at === 0 && texts.length > 1 ? { ...stored, pieces: texts.length } : stored;
    return { ...pieceKey(location, at), value: piece, ...definedFields({ expiresAt }) };
  });
  return drafts.reverse();
}

/** The JSON text in a row of a long value, or of any other row, whose value may look like a packed one by chance. */
export function storedText(value: unknown): string {
  const json = JSON.stringify(value);
  if (!isPacked(value)) return json;
  try {
    return `${json}\n${textOf(value)}`;
  } catch {
    return json;
  }
}

/** Writing the same value again changes nothing. */
export async function insertLong(table: Table, long: LongRow): Promise<void> {
  for (const draft of longDrafts(long)) await table.insert(draft);
}

export async function readLong<T>(table: Table, location: LongRowLocation): Promise<T | undefined> {
  return joinPieces<T>(table, location, await getEventually<Piece>(table, pieceKey(location, 0)));
}

/** Up to 100, in their order: one read for all values that fit one row. */
export async function readLongs<T>(table: Table, locations: LongRowLocation[]): Promise<(T | undefined)[]> {
  if (locations.length === 0) return [];
  const firsts = await table.getMany<Piece>(locations.map((location) => pieceKey(location, 0)));
  return Promise.all(locations.map((location, at) => joinPieces<T>(table, location, firsts[at])));
}

/** No piece ends within a pair of surrogates, so each of them is well-formed. */
function piecesOf(json: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < json.length; ) {
    const to = from + PIECE_CHARACTERS;
    const isWithinPair = to < json.length && /[\ud800-\udbff]/.test(json.charAt(to - 1));
    const end = isWithinPair ? to - 1 : to;
    pieces.push(json.slice(from, end));
    from = end;
  }
  return pieces;
}

/** Each piece is packed apart, so that it can be read even if the others have expired. None if packing saves nothing. */
function packedPieces(texts: readonly string[]): string[] {
  const packed = texts.map(packText);
  const isShorter = packed.join('').length < texts.join('').length;
  return isShorter && packed.every(({ length }) => length <= PIECE_CHARACTERS) ? packed : [];
}

const textOf = ({ text, packed }: Piece): string => (packed === undefined ? text : unpackText(packed));

const isPacked = (value: unknown): value is Piece =>
  typeof (value as Partial<Piece> | null)?.packed === 'string' && typeof (value as Partial<Piece>).text === 'string';

async function joinPieces<T>(
  table: Table,
  location: LongRowLocation,
  firstPiece: Row<Piece> | undefined,
): Promise<T | undefined> {
  if (!firstPiece) return undefined;
  const { pieces = 1 } = firstPiece.value;
  const keys = Array.from({ length: pieces - 1 }, (_, at) => pieceKey(location, at + 1));
  const otherPieces = keys.length === 0 ? [] : await table.getMany<Piece>(keys);
  if (otherPieces.some((row) => row === undefined)) return undefined; // expired during the read
  const texts = [firstPiece, ...otherPieces].map((row) => (row ? textOf(row.value) : ''));
  return JSON.parse(texts.join('')) as T;
}
