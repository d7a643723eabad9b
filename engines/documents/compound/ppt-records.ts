/** The records of a PPT stream: each has a kind, an instance and a body, and some hold others ([MS-PPT] 2.3.1). */
import { unreadable } from '../failure.ts';

export type PptRecord = { kind: number; instance: number; from: number; to: number; holdsOthers: boolean };

const HEAD_BYTES = 8;

export function recordAt(stream: Buffer, at: number): PptRecord | undefined {
  if (at < 0 || at + HEAD_BYTES > stream.length) return undefined;
  const head = stream.readUInt16LE(at);
  const from = at + HEAD_BYTES;
  const to = Math.min(from + stream.readUInt32LE(at + 4), stream.length);
  return { kind: stream.readUInt16LE(at + 2), instance: head >> 4, from, to, holdsOthers: (head & 0xf) === 0xf };
}

export function recordsIn(stream: Buffer, parent: { from: number; to: number }): PptRecord[] {
  const found: PptRecord[] = [];
  let at = parent.from;
  while (at < parent.to) {
    const record = recordAt(stream, at);
    if (!record || record.to > parent.to) break;
    found.push(record);
    at = record.to;
  }
  return found;
}

const MAX_DEPTH = 100;

/** All records below, in order. */
export function* recordsBelow(stream: Buffer, parent: PptRecord, depth = 0): Generator<PptRecord> {
  if (depth > MAX_DEPTH) throw unreadable('tooLarge');
  for (const record of recordsIn(stream, parent)) {
    yield record;
    if (record.holdsOthers) yield* recordsBelow(stream, record, depth + 1);
  }
}
