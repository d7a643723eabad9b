/** What a Word document's styles say of a paragraph: its level as a heading, and its numbering. */
import { attribute, childOf, elementsOf, firstOf, type XmlElement } from '../markup/parse-xml.ts';

export type Style = { level?: number; numberId?: string; depth?: number };

const MAX_PARENTS = 20;

export const valOf = (element: XmlElement | undefined): string | undefined => attribute(element, 'val');

/** What the properties of a paragraph, or of a style for paragraphs, say themselves. */
export function ownStyle(properties: XmlElement | undefined): Style {
  const outline = Number(valOf(childOf(properties, 'outlineLvl')) ?? Number.NaN);
  const numbering = childOf(properties, 'numPr');
  const numberId = valOf(childOf(numbering, 'numId'));
  const depth = valOf(childOf(numbering, 'ilvl'));
  return {
    // Level 9 is Word's way to say body text.
    ...(outline >= 0 && outline < 9 ? { level: outline + 1 } : {}),
    ...(numberId === undefined ? {} : { numberId }),
    ...(depth === undefined ? {} : { depth: Number(depth) }),
  };
}

export function stylesOf(root: XmlElement | undefined): (id: string | undefined) => Style {
  const styles = new Map<string, { parent: string | undefined; own: Style }>();
  for (const style of root ? elementsOf(root).flatMap(elementsOf) : []) {
    const id = attribute(style, 'styleId');
    if (style.name !== 'style' || id === undefined) continue;
    const name = valOf(childOf(style, 'name')) ?? '';
    const own = { ...levelByName(name), ...ownStyle(firstOf(style, 'pPr')) };
    styles.set(id, { parent: valOf(childOf(style, 'basedOn')), own });
  }
  const styleOf = (id: string | undefined, hops = 0): Style => {
    const found = id === undefined ? undefined : styles.get(id);
    if (!found || hops > MAX_PARENTS) return {};
    return { ...styleOf(found.parent, hops + 1), ...found.own };
  };
  return styleOf;
}

function levelByName(name: string): Style {
  const [, level] = /^heading (\d)$/i.exec(name) ?? [];
  if (level !== undefined) return { level: Number(level) };
  return /^title$/i.test(name) ? { level: 1 } : {};
}
