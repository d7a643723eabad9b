/** What an agent has before it while it works on one task: documents in pages, rulesets, and the files it saves. */
import type { Document } from '../../documents/document.ts';
import type { Passage } from '../../model/extractive/passage.ts';
import type { Picture } from './pictures.ts';

export type WorkspacePage = { parts: { place: string; text: string }[] };
/** With its picture when the model is shown it; the words in it are among the pages all the same. */
export type DeskFile = { name: string; kind: string; pages: WorkspacePage[]; picture?: Picture };
export type RulesetText = { name: string; text: string };
export type SavedFile = { name: string; text: string };

export type Workspace = {
  files: DeskFile[];
  rulesets: RulesetText[];
  /** By name; what is saved again under a name replaces it. */
  saved: Map<string, SavedFile>;
};

const PAGE_CHARACTERS = 20_000;

/** Letters that no person sees and every model reads: tags, and rows of selectors, which mean nothing in any script. */
const UNSEEN = /[\u{e0000}-\u{e007f}]|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;

/** Pages of a bounded length, whatever the parts of the document are. */
export function pagesOf({ parts }: Pick<Document, 'parts'>): WorkspacePage[] {
  const pages: WorkspacePage[] = [];
  let room = 0;
  for (const { label, text: given } of parts) {
    const text = given.replace(UNSEEN, '');
    for (let from = 0; from < Math.max(1, text.length); from += PAGE_CHARACTERS) {
      const piece = text.slice(from, from + PAGE_CHARACTERS);
      if (piece.length > room) {
        pages.push({ parts: [] });
        room = PAGE_CHARACTERS;
      }
      pages.at(-1)?.parts.push({ place: label, text: piece });
      room -= piece.length;
    }
  }
  return pages;
}

/** What it holds of the room: its characters, and the bytes of its picture. */
export const weightOf = ({ pages, picture }: DeskFile): number =>
  pages.reduce(
    (sum, { parts }) => sum + parts.reduce((length, { text }) => length + text.length, 0),
    picture?.bytes.length ?? 0,
  );

export const passagesOf = (files: readonly DeskFile[]): Passage[] =>
  files.flatMap(({ name, pages }) =>
    pages.flatMap(({ parts }) => parts.map(({ place, text }) => ({ source: name, place, text }))),
  );
