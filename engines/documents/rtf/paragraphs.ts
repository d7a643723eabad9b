/** Gathers the text of an RTF into paragraphs, headings and rows of tables, and its notes and margins beside them. */
import { type Block, type Blocks, blocksFor } from '../markdown/blocks.ts';
import type { Budget } from '../markdown/budget.ts';
import type { Place } from './destinations.ts';
import { type HeadingStyles, headingStyles } from './heading-styles.ts';

export type Paragraphs = {
  text(place: Place, text: string, style: number): void;
  word(place: Place, word: string, number: number | undefined): void;
  /** A group of another place than the one around it has ended. */
  leave(place: Place): void;
  end(): { body: Block[]; margins: string[] };
};

type Held = {
  blocks: Blocks;
  styles: HeadingStyles;
  text: string;
  /** Before a list item. */
  mark: string;
  /** Of a note or a margin. */
  aside: string;
  level: number | undefined;
  inTable: boolean;
  cells: string[];
  rows: string[][];
  notes: string[];
};

/** A bullet may be any sign of any font. */
const COUNTS = /^\s*\(?[a-z\d.]+[.)]?\s*$/i;
const ENDS_PARAGRAPH = new Set(['par', 'sect', 'page']);
const BODY_LEVEL = 9;

export function paragraphsFor(budget: Budget): Paragraphs {
  const held: Held = {
    blocks: blocksFor(budget),
    styles: headingStyles(),
    text: '',
    mark: '',
    aside: '',
    level: undefined,
    inTable: false,
    cells: [],
    rows: [],
    notes: [],
  };
  const margins = new Set<string>();
  return {
    text(place, piece, style) {
      if (place === 'styles') held.styles.name(piece, style);
      else if (place === 'body') held.text += piece;
      else if (place === 'mark') held.mark += piece;
      else if (place !== 'nowhere' && place !== 'fonts') held.aside += piece;
    },
    word(place, word, number) {
      const ends = ENDS_PARAGRAPH.has(word);
      if (place !== 'body') held.aside += ends && place !== 'mark' ? ' ' : '';
      else if (ends) endParagraph(held);
      else CHANGES[word]?.(held, number);
    },
    leave(place) {
      const aside = held.aside.trim();
      if (place === 'note' && aside !== '') held.notes.push(`Note: ${aside}`);
      if (place === 'margin' && aside !== '') margins.add(budget.take(aside));
      if (place === 'note' || place === 'margin') held.aside = '';
    },
    end() {
      held.inTable = false;
      endParagraph(held);
      return { body: held.blocks.all, margins: [...margins] };
    },
  };
}

/** What control words do to the paragraph, the cell or the row. */
const CHANGES: Record<string, (held: Held, number: number | undefined) => void> = {
  pard: (held) => {
    held.inTable = false;
    held.level = undefined;
  },
  intbl: (held) => {
    held.inTable = true;
  },
  s: (held, number = 0) => {
    held.level = held.styles.levelOf(number) ?? held.level;
  },
  outlinelevel: (held, number = BODY_LEVEL) => {
    if (number < BODY_LEVEL) held.level = number + 1;
  },
  cell: (held) => {
    held.cells.push(`${held.mark} ${held.text}`);
    held.text = '';
    held.mark = '';
  },
  nestcell: (held) => {
    held.text += ' ';
  },
  row: (held) => {
    held.rows.push(held.cells);
    held.cells = [];
  },
};

function endParagraph(held: Held): void {
  if (held.inTable) {
    held.text += ' ';
    return;
  }
  endTable(held);
  const { blocks, text, level } = held;
  const mark = held.mark.trim();
  const number = COUNTS.test(mark) ? mark : '';
  if (level !== undefined) blocks.heading(`${number} ${text}`, level);
  else if (mark !== '') blocks.item(text, 0, number || '-');
  else blocks.paragraph(text);
  putNotes(held);
  held.text = '';
  held.mark = '';
}

function endTable(held: Held): void {
  if (held.cells.length > 0) held.rows.push(held.cells);
  if (held.rows.length === 0) return;
  held.blocks.table(held.rows);
  held.cells = [];
  held.rows = [];
  putNotes(held);
}

function putNotes({ blocks, notes }: Held): void {
  for (const note of notes.splice(0)) blocks.paragraph(note);
}
