/** Spreads the due rows over the shards of the index, the same way wherever the table lives. */
import { DUE_SHARDS, type Key } from '../ports.ts';

/** FNV-1a with its high half folded in, because its low bits alone hardly mix. */
export function shardOf({ pk, sk }: Key): number {
  const text = `${pk}\n${sk}`;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return ((hash ^ (hash >>> 16)) >>> 0) % DUE_SHARDS;
}
