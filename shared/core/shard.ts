/** The shard of a due row, the same in every adapter. */

import type { Key } from '../ports.ts';

export const DUE_SHARDS = 16;

/** FNV-1a with its high half folded in, because its low bits alone are poorly distributed. */
export function shardOf({ pk, sk }: Key): number {
  const text = `${pk}\n${sk}`;
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return ((hash ^ (hash >>> 16)) >>> 0) % DUE_SHARDS;
}
