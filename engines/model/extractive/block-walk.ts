/** What the walk through a text keeps in hand, and how its blocks are opened, extended and closed. */
import type { TextLine } from './lines.ts';

export type BlockHeading = { text: string; level: number; parent: BlockHeading | undefined };

export type BlockKind = 'heading' | 'prose' | 'item' | 'row' | 'pair' | 'code';

/** `lead` is what the block cannot be understood without: a table's header, or the line that introduces a list. */
export type TextBlock = {
  kind: BlockKind;
  start: number;
  end: number;
  heading: BlockHeading | undefined;
  lead: { start: number; end: number } | undefined;
  /** Where the list or table begins that this block is a part of. */
  group: number;
};

/** A block is closed when it is longer than this, and cut when it is longer than twice as much. */
export const MAX_BLOCK = 2_000;

export type BlockWalk = {
  text: string;
  code: boolean;
  heading: BlockHeading | undefined;
  open: TextBlock | undefined;
  openLines: number;
  /** The block that was closed last: a list's introduction, perhaps. */
  last: TextBlock | undefined;
  /** Of the table that is being read. */
  header: { start: number; end: number } | undefined;
  inFence: boolean;
  group: number;
  count: number;
  seen: (block: TextBlock) => void;
};

export const startWalk = (start: Pick<BlockWalk, 'text' | 'code' | 'heading' | 'seen'>): BlockWalk => ({
  ...start,
  open: undefined,
  openLines: 0,
  last: undefined,
  header: undefined,
  inFence: false,
  group: -1,
  count: 0,
});

export function closeBlock(walk: BlockWalk): void {
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

export function beginBlock(walk: BlockWalk, kind: BlockKind, { start, end }: TextLine, lead?: TextBlock['lead']): void {
  closeBlock(walk);
  walk.open = { kind, start, end, heading: walk.heading, lead, group: kind === 'prose' ? start : walk.group };
  walk.openLines = 1;
}

export function extendBlock(walk: BlockWalk, open: TextBlock, { end }: TextLine): void {
  open.end = end;
  walk.openLines++;
}

export function setHeading(walk: BlockWalk, { start, end }: { start: number; end: number }, level: number): void {
  let parent = walk.heading;
  while (parent && parent.level >= level) parent = parent.parent;
  const above = parent;
  walk.heading = { text: walk.text.slice(start, Math.min(end, start + 200)), level, parent };
  walk.last = { kind: 'heading', start, end, heading: above, lead: undefined, group: start };
  walk.count++;
  walk.seen(walk.last);
}
