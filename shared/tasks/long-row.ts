/** A value that may be longer than one row: its JSON text in as many rows as it takes. Written once, never changed. */
import type { Table } from '../ports.ts';

/** Of JSON text in a row; even if every one of them needs an escape it fits. */
const PIECE_CHARACTERS = 100_000;
const MOST_PIECES = 50;

type Piece = { text: string };

const pieceKey = (pk: string, name: string, at: number) => ({ pk, sk: `${name}#${String(at).padStart(2, '0')}` });

/** Writing again what was written changes nothing. */
export async function insertLong(
  table: Table,
  o: { pk: string; name: string; value: unknown; expiresAt: number },
): Promise<void> {
  const json = JSON.stringify(o.value);
  const pieces = Math.max(1, Math.ceil(json.length / PIECE_CHARACTERS));
  if (pieces > MOST_PIECES) throw new RangeError(`A value has at most ${MOST_PIECES * PIECE_CHARACTERS} characters.`);
  const texts = Array.from({ length: pieces }, (_, at) =>
    json.slice(at * PIECE_CHARACTERS, (at + 1) * PIECE_CHARACTERS),
  );
  // The first piece last, so that whoever finds it finds them all.
  for (let at = pieces - 1; at >= 0; at--) {
    const value: Piece = { text: texts[at] ?? '' };
    await table.insert<Piece>({ ...pieceKey(o.pk, o.name, at), value, expiresAt: o.expiresAt });
  }
}

export async function readLong<T>(table: Table, pk: string, name: string): Promise<T | undefined> {
  const texts: string[] = [];
  let after: string | undefined;
  do {
    const page = await table.rows<Piece>(pk, `${name}#`, {
      limit: MOST_PIECES,
      ...(after === undefined ? {} : { after }),
    });
    texts.push(...page.rows.map(({ value }) => value.text));
    after = page.next;
  } while (after !== undefined);
  return texts.length === 0 ? undefined : (JSON.parse(texts.join('')) as T);
}
