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

/** A block is closed when it is longer than this, and cut when it is longer than twice as much. */
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

export const startWalk = (given: Pick<Walk, 'text' | 'code' | 'heading' | 'seen'>): Walk => ({
  ...given,
  open: undefined,
  openLines: 0,
  last: undefined,
  header: undefined,
  inFence: false,
  group: -1,
  count: 0,
});

export function close(walk: Walk): void {
  const { open, text } = walk;
  if (!open) return;
  walk.open = undefined;
  walk.last = open;
  for (let { start } = open; start < open.end || start === open.start; ) {
    const end = open.end - start > 2 * MAX_BLOCK ? cutBefore(text, start + MAX_BLOCK) : open.end;
    walk.count++;
    walk.seen(start === open.start && end === open.end ? open : { ...open, start, end });
    start = Math.max(end, start + 1);
  }
}

/** A line without end is cut between two words, if there is a space nearby. */
function cutBefore(text: string, at: number): number {
  const space = text.lastIndexOf(' ', at);
  return at - space < 200 ? space : at;
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
