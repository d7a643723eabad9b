/** The text of an OpenDocument paragraph, with the notes and frames that hang on it. */
import { attribute, childOf, textOf, type XmlElement } from '../markup/parse-xml.ts';

export type InlineText = { text: string; notes: XmlElement[]; frames: XmlElement[] };

const MAX_SPACES = 100;
const SKIPPED_INLINE = new Set([
  'tracked-changes',
  'annotation',
  'annotation-end',
  'bookmark',
  'desc',
  'title',
  'ruby-text',
]);

const FRAMES = new Set(['frame', 'custom-shape']);
const CHARACTERS: Record<string, (sign: XmlElement) => string> = {
  s: (sign) => ' '.repeat(Math.min(Number(attribute(sign, 'c') ?? 1) || 1, MAX_SPACES)),
  tab: () => '\t',
  'line-break': () => '\n',
};

export function inlineText(paragraph: XmlElement): InlineText {
  const inline: InlineText = { text: '', notes: [], frames: [] };
  collect(paragraph, inline);
  return inline;
}

function collect(parent: XmlElement, into: InlineText): void {
  for (const child of parent.children) {
    if (typeof child === 'string') into.text += child.replaceAll(/\s+/g, ' ');
    else if (child.name in CHARACTERS) into.text += CHARACTERS[child.name]?.(child) ?? '';
    else if (child.name === 'note') addNote(child, into);
    else if (FRAMES.has(child.name)) into.frames.push(child);
    else if (!SKIPPED_INLINE.has(child.name)) collect(child, into);
  }
}

function addNote(note: XmlElement, into: InlineText): void {
  const citation = childOf(note, 'note-citation');
  into.text += `[^${citation ? textOf(citation).trim() : into.notes.length + 1}]`;
  into.notes.push(note);
}
