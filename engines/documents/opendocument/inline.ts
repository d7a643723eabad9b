/** The text of an OpenDocument paragraph, with the notes and frames that hang on it. */
import { attribute, childOf, type Element, textOf } from '../markup/parse-xml.ts';

export type Inline = { text: string; notes: Element[]; frames: Element[] };

const MOST_SPACES = 100;
const LEFT_OUT = new Set(['tracked-changes', 'annotation', 'annotation-end', 'bookmark', 'desc', 'title', 'ruby-text']);

const FRAMES = new Set(['frame', 'custom-shape']);
const SIGNS: Record<string, (sign: Element) => string> = {
  s: (sign) => ' '.repeat(Math.min(Number(attribute(sign, 'c') ?? 1) || 1, MOST_SPACES)),
  tab: () => '\t',
  'line-break': () => '\n',
};

export function inlineOf(paragraph: Element): Inline {
  const inline: Inline = { text: '', notes: [], frames: [] };
  collect(paragraph, inline);
  return inline;
}

function collect(parent: Element, into: Inline): void {
  for (const child of parent.children) {
    if (typeof child === 'string') into.text += child.replaceAll(/\s+/g, ' ');
    else if (child.name in SIGNS) into.text += SIGNS[child.name]?.(child) ?? '';
    else if (child.name === 'note') refer(child, into);
    else if (FRAMES.has(child.name)) into.frames.push(child);
    else if (!LEFT_OUT.has(child.name)) collect(child, into);
  }
}

function refer(note: Element, into: Inline): void {
  const citation = childOf(note, 'note-citation');
  into.text += `[^${citation ? textOf(citation).trim() : into.notes.length + 1}]`;
  into.notes.push(note);
}
