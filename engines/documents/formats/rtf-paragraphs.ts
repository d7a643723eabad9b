/** RTF paragraphs: collects text into paragraphs, headings, list items and table rows, with notes and margins. */

import type { ReadingBudget } from '../document.ts';
import { type MarkdownBlock, type MarkdownBlocks, markdownBlocks } from '../markdown.ts';

/** What a group of an RTF contains. `mark` is the number or bullet before a list item. */
export type Destination = 'body' | 'mark' | 'fonts' | 'colors' | 'styles' | 'note' | 'margin' | 'nowhere';

const DESTINATIONS: Record<string, Destination> = {
  fonttbl: 'fonts',
  colortbl: 'colors',
  stylesheet: 'styles',
  footnote: 'note',
  listtext: 'mark',
  pntext: 'mark',
};

const MARGIN = /^(header|footer)[lrf]?$/;

const IGNORED = new Set(
  `info pict object objdata fldinst datafield themedata colorschememapping datastore listtable
  listoverridetable rsidtbl generator xmlnstbl latentstyles filetbl revtbl bkmkstart bkmkend nonshppict shppict
  sp mmathPr private1 pgptbl pnseclvl background template userprops wgrffmtfilter atnid atnauthor atndate atnref
  ftnsep ftnsepc aftnsep aftnsepc xe tc`.split(/\s+/),
);

/** Groups after `\*` that contain text nevertheless. */
const OPTIONAL_BUT_READ = new Set(['shpinst', 'shptxt', 'annotation']);

/** Returns the destination of a group that begins with this word, or undefined if the word does not change it. */
export function destinationOf(word: string, isOptional: boolean): Destination | undefined {
  if (MARGIN.test(word)) return 'margin';
  if (word in DESTINATIONS) return DESTINATIONS[word];
  if (IGNORED.has(word)) return 'nowhere';
  return isOptional && !OPTIONAL_BUT_READ.has(word) ? 'nowhere' : undefined;
}

/** The heading styles of an RTF, by their names in the style sheet: `{\s2 ... heading 2;}`. */
type HeadingStyles = {
  name(piece: string, style: number): void;
  levelOf(style: number): number | undefined;
};

const HEADING = /^\s*heading (\d)/i;

function headingStyles(): HeadingStyles {
  const levels = new Map<number, number>();
  let pending = '';
  return {
    name(piece, style) {
      pending += piece;
      if (!piece.includes(';')) return;
      const [, level] = HEADING.exec(pending) ?? [];
      if (level !== undefined) levels.set(style, Number(level));
      pending = '';
    },
    levelOf: (style) => levels.get(style),
  };
}

/** Collects the text of an RTF into paragraphs, headings and table rows, with notes and margins separately. */
export type Paragraphs = {
  text(place: Destination, text: string, style: number): void;
  /** Takes text that a person does not see. */
  hide(place: Destination, text: string): void;
  word(place: Destination, word: string, number: number | undefined): void;
  /** Called at the end of a group whose destination differs from the group around it. */
  leave(place: Destination): void;
  end(): { body: MarkdownBlock[]; margins: string[] };
};

type ParagraphState = {
  blocks: MarkdownBlocks;
  styles: HeadingStyles;
  text: string;
  hidden: string;
  /** The number or bullet before a list item. */
  mark: string;
  /** The text of a note or a margin. */
  aside: string;
  level: number | undefined;
  inTable: boolean;
  cells: string[];
  rows: string[][];
  notes: string[];
};

/** Any other mark is a bullet, which may be any character of any font. */
const COUNTS = /^\s*\(?[a-z\d.]+[.)]?\s*$/i;
const IS_ASIDE: ReadonlySet<Destination> = new Set(['note', 'margin']);
const ENDS_PARAGRAPH = new Set(['par', 'sect', 'page']);
const BODY_LEVEL = 9;

export function paragraphsFor(budget: ReadingBudget): Paragraphs {
  const state: ParagraphState = {
    blocks: markdownBlocks(budget),
    styles: headingStyles(),
    text: '',
    hidden: '',
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
      if (place === 'styles') state.styles.name(piece, style);
      else if (place === 'body') state.text += piece;
      else if (place === 'mark') state.mark += piece;
      else if (IS_ASIDE.has(place)) state.aside += piece;
    },
    hide(place, piece) {
      if (place === 'body' || IS_ASIDE.has(place)) state.hidden += piece;
    },
    word(place, word, number) {
      const ends = ENDS_PARAGRAPH.has(word);
      if (place !== 'body') state.aside += ends && place !== 'mark' ? ' ' : '';
      else if (ends) endParagraph(state);
      else PARAGRAPH_WORDS[word]?.(state, number);
    },
    leave(place) {
      const aside = state.aside.trim();
      if (place === 'note' && aside !== '') state.notes.push(`Note: ${aside}`);
      if (place === 'margin' && aside !== '') margins.add(budget.countText(aside));
      if (place === 'note' || place === 'margin') state.aside = '';
    },
    end() {
      state.inTable = false;
      endParagraph(state);
      return { body: state.blocks.all, margins: [...margins] };
    },
  };
}

/** The effects of control words on the paragraph, the cell or the row. */
const PARAGRAPH_WORDS: Record<string, (state: ParagraphState, number: number | undefined) => void> = {
  pard: (state) => {
    state.inTable = false;
    state.level = undefined;
  },
  intbl: (state) => {
    state.inTable = true;
  },
  s: (state, number = 0) => {
    state.level = state.styles.levelOf(number) ?? state.level;
  },
  outlinelevel: (state, number = BODY_LEVEL) => {
    if (number < BODY_LEVEL) state.level = number + 1;
  },
  cell: (state) => {
    state.cells.push(`${state.mark} ${state.text}`);
    state.text = '';
    state.hidden += ' ';
    state.mark = '';
  },
  nestcell: (state) => {
    state.text += ' ';
  },
  row: (state) => {
    state.rows.push(state.cells);
    state.cells = [];
  },
};

function endParagraph(state: ParagraphState): void {
  if (state.inTable) {
    state.text += ' ';
    state.hidden += ' ';
    return;
  }
  endTable(state);
  const { blocks, text, level } = state;
  const mark = state.mark.trim();
  const number = COUNTS.test(mark) ? mark : '';
  if (level !== undefined) blocks.heading(`${number} ${text}`, level);
  else if (mark !== '') blocks.item(text, 0, number || '-');
  else blocks.paragraph(text);
  putNotes(state);
  state.text = '';
  state.mark = '';
}

function endTable(state: ParagraphState): void {
  if (state.cells.length > 0) state.rows.push(state.cells);
  if (state.rows.length === 0) return;
  state.blocks.table(state.rows);
  state.cells = [];
  state.rows = [];
  putNotes(state);
}

function putNotes(state: ParagraphState): void {
  for (const note of state.notes.splice(0)) state.blocks.paragraph(note);
  state.blocks.hide(state.hidden);
  state.hidden = '';
}
