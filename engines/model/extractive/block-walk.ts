/** What the walk through a text keeps in hand, and how its blocks are opened, extended and closed. */
import type { Line } from './lines.ts';

export type Heading = { text: string; level: number; parent: Heading | undefined };

export type BlockKind = 'heading' | 'prose' | 'item' | 'row' | 'pair' | 'code';

/** `lead` is what the block cannot be understood without: a table's header, or the line that introduces a list. */
export type Block = {
  kind: BlockKind;
  start: number;
  end: number;
  heading: Heading | undefined;
  lead: { start: number; end: number } | undefined;
  /** Where the list or table begins that this block is a part of. */
  group: number;
};

/** No block is longer than this, but by its last line. */
export const MAX_BLOCK = 2_000;

export type Walk = {
  text: string;
  code: boolean;
  heading: Heading | undefined;
  open: Block | undefined;
  openLines: number;
  /** The block that was closed last: a list's introduction, perhaps. */
  last: Block | undefined;
  /** Of the table that is being read. */
  header: { start: number; end: number } | undefined;
  inFence: boolean;
  group: number;
  count: number;
  seen: (block: Block) => void;
};

export const startWalk = (text: string, code: boolean, seen: (block: Block) => void): Walk => ({
  text,
  code,
  heading: undefined,
  open: undefined,
  openLines: 0,
  last: undefined,
  header: undefined,
  inFence: false,
  group: -1,
  count: 0,
  seen,
});

export function close(walk: Walk): void {
  const { open } = walk;
  if (!open) return;
  walk.open = undefined;
  walk.last = open;
  walk.count++;
  walk.seen(open);
}

export function begin(walk: Walk, kind: BlockKind, { start, end }: Line, lead?: Block['lead']): void {
  close(walk);
  walk.open = { kind, start, end, heading: walk.heading, lead, group: kind === 'prose' ? start : walk.group };
  walk.openLines = 1;
}

export function extend(walk: Walk, open: Block, { end }: Line): void {
  open.end = end;
  walk.openLines++;
}

export function setHeading(walk: Walk, { start, end }: { start: number; end: number }, level: number): void {
  let parent = walk.heading;
  while (parent && parent.level >= level) parent = parent.parent;
  const above = parent;
  walk.heading = { text: walk.text.slice(start, Math.min(end, start + 200)), level, parent };
  walk.last = { kind: 'heading', start, end, heading: above, lead: undefined, group: start };
  walk.count++;
  walk.seen(walk.last);
}
