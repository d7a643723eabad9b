/** The text of a Word paragraph: what stands in its runs, less what was struck out, plus the marks of its notes. */
import { attribute, childOf, elementsOf, textOf, type XmlElement } from '../markup/parse-xml.ts';

export type InlineText = {
  text: string;
  /** Notes that are referred to, as `footnote 2`. */
  notes: string[];
  /** Text boxes that hang on the paragraph. */
  boxes: XmlElement[];
};

const CHARACTERS: Record<string, string> = { tab: '\t', ptab: '\t', br: '\n', cr: '\n', noBreakHyphen: '-' };

/** What is not text of the paragraph: its properties, deleted and moved text, codes of fields. */
const SKIPPED_ELEMENTS = new Set([
  'pPr',
  'rPr',
  'del',
  'moveFrom',
  'delText',
  'instrText',
  'Fallback',
  'sectPr',
  'posOffset',
]);

export function inlineText(paragraph: XmlElement): InlineText {
  const inline: InlineText = { text: '', notes: [], boxes: [] };
  collect(paragraph, inline);
  return inline;
}

function collect(parent: XmlElement, into: InlineText): void {
  for (const child of elementsOf(parent)) {
    const sign = CHARACTERS[child.name];
    if (sign !== undefined) into.text += sign;
    else if (child.name === 't') into.text += textOf(child);
    else if (child.name === 'txbxContent') into.boxes.push(child);
    else if (/^(foot|end)noteReference$/.test(child.name)) addNote(child, into);
    else if (child.name === 'AlternateContent') collect(childOf(child, 'Choice') ?? child, into);
    else if (!SKIPPED_ELEMENTS.has(child.name) && !isHidden(child)) collect(child, into);
  }
}

/** Word shows such a run to nobody. */
function isHidden(child: XmlElement): boolean {
  const mark = child.name === 'r' ? childOf(childOf(child, 'rPr'), 'vanish') : undefined;
  return mark !== undefined && !/^(0|false|off)$/.test(attribute(mark, 'val') ?? '');
}

function addNote(reference: XmlElement, into: InlineText): void {
  const id = attribute(reference, 'id');
  const kind = reference.name.replace('Reference', '');
  into.notes.push(`${kind} ${id}`);
  into.text += kind === 'footnote' ? `[^${id}]` : `[^e${id}]`;
}
