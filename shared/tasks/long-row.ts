/** A value that may be longer than one row: its JSON text in as many rows as it takes. Written once, never changed. */
import { getEventually } from '../core/get-any.ts';
import type { Draft, Key, Row, Table } from '../ports.ts';

/** Of JSON text in a row; even if every one of them needs an escape it fits. */
const PIECE_CHARACTERS = 100_000;
const MOST_PIECES = 50;

/** The first one tells how many there are. */
type Piece = { text: string; pieces?: number };
export type LongRowLocation = { pk: string; name: string };

const pieceKey = ({ pk, name }: LongRowLocation, at: number): Key => ({
  pk,
  sk: `${name}#${String(at).padStart(2, '0')}`,
});

type LongRow = LongRowLocation & { value: unknown; expiresAt?: number };

/** The first piece last, so that whoever finds it finds them all. */
export function longDrafts({ value, expiresAt, ...place }: LongRow): Draft<Piece>[] {
  const json = JSON.stringify(value);
  const pieces = Math.max(1, Math.ceil(json.length / PIECE_CHARACTERS));
  if (pieces > MOST_PIECES) throw new RangeError(`A value has at most ${MOST_PIECES * PIECE_CHARACTERS} characters.`);
  return Array.from({ length: pieces }, (_, before) => {
    const at = pieces - 1 - before;
    const text = json.slice(at * PIECE_CHARACTERS, (at + 1) * PIECE_CHARACTERS);
    const piece: Piece = at === 0 && pieces > 1 ? { text, pieces } : { text };
    return { ...pieceKey(place, at), value: piece, ...(expiresAt === undefined ? {} : { expiresAt }) };
  });
}

/** Writing again what was written changes nothing. */
export async function insertLong(table: Table, long: LongRow): Promise<void> {
  for (const draft of longDrafts(long)) await table.insert(draft);
}

export async function readLong<T>(table: Table, place: LongRowLocation): Promise<T | undefined> {
  return joinPieces<T>(table, place, await getEventually<Piece>(table, pieceKey(place, 0)));
}

/** Up to 100, in the order asked: one read for all that fit a row. */
export async function readLongs<T>(table: Table, places: LongRowLocation[]): Promise<(T | undefined)[]> {
  if (places.length === 0) return [];
  const firsts = await table.getMany<Piece>(places.map((place) => pieceKey(place, 0)));
  return Promise.all(places.map((place, at) => joinPieces<T>(table, place, firsts[at])));
}

async function joinPieces<T>(
  table: Table,
  place: LongRowLocation,
  first: Row<Piece> | undefined,
): Promise<T | undefined> {
  if (!first) return undefined;
  const { text, pieces = 1 } = first.value;
  const keys = Array.from({ length: pieces - 1 }, (_, at) => pieceKey(place, at + 1));
  const others = keys.length === 0 ? [] : await table.getMany<Piece>(keys);
  if (others.some((row) => row === undefined)) return undefined; // expired while it was read
  return JSON.parse([text, ...others.map((row) => row?.value.text ?? '')].join('')) as T;
}
