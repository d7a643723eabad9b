/** DOC of Word 97 and later: paragraphs, headings and tables of the text, then its notes, margins and boxes. */
import type { DocumentPart } from '../document.ts';
import { unreadable } from '../failure.ts';
import { joinBlocks, type MarkdownBlocks, markdownBlocks } from '../markdown/blocks.ts';
import { sectionsOf } from '../markdown/sections.ts';
import type { ReaderInput } from '../read-document.ts';
import { openCompoundFile } from './open-compound.ts';
import { type Paragraph, paragraphsIn } from './word-paragraphs.ts';
import { openWordText } from './word-text.ts';

const ASIDES = ['footnotes', 'header or footer', 'comments', 'endnotes', 'text boxes', 'text boxes of the margins'];

export function readDoc({ bytes, budget }: ReaderInput): DocumentPart[] {
  const compound = openCompoundFile(bytes);
  const main = compound.stream('WordDocument');
  if (!main) throw unreadable('corrupt');
  const word = openWordText(main, compound);
  const [body = [], ...asides] = word.stories.map(({ from, to }) => paragraphsIn(word, from, to));
  const parts = sectionsOf(flowOf(body, markdownBlocks(budget)).all);
  return [
    ...parts,
    ...asides.flatMap((story, at) => {
      const text = joinBlocks(flowOf(story, markdownBlocks(budget)).all);
      return text === '' ? [] : [{ label: ASIDES[at] ?? 'notes', text }];
    }),
  ];
}

function flowOf(paragraphs: Paragraph[], blocks: MarkdownBlocks): MarkdownBlocks {
  let table: Paragraph[] = [];
  const endTable = () => {
    blocks.table(rowsOf(table));
    table = [];
  };
  for (const paragraph of paragraphs) {
    if (paragraph.inTable) {
      table.push(paragraph);
      continue;
    }
    endTable();
    const { text, level, isItem } = paragraph;
    if (level !== undefined) blocks.heading(text, level);
    else if (isItem) blocks.item(text, 0);
    else blocks.paragraph(text);
  }
  endTable();
  return blocks;
}

function rowsOf(paragraphs: Paragraph[]): string[][] {
  const rows: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  for (const { text, endsCell, endsRow } of paragraphs) {
    if (!endsRow) cell += `${text} `;
    if (endsCell && !endsRow) cells.push(cell);
    if (endsCell) cell = '';
    if (endsRow) rows.push(cells);
    if (endsRow) cells = [];
  }
  return cells.length > 0 ? [...rows, cells] : rows;
}
