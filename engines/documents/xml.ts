/**
 * XML as a tree of elements by their local names.
 *
 * The parser knows only the five entities of XML and expands no others, so entity bombs have no effect.
 */
import { Parser } from 'htmlparser2';
import { unreadable } from './document.ts';
import { decodeText } from './text.ts';

export type XmlElement = { name: string; attributes: Record<string, string>; children: XmlNode[] };
type XmlNode = XmlElement | string;

export type XmlHandler = {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
};

const MAX_XML_DEPTH = 1_000;
const PIECE = 65_536;

/** Prefixes are arbitrary: some programs write `ns0:p` where others write `w:p`. */
const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** Walks through XML without keeping it in memory. Attributes keep their prefixes, as `r:id` and `id` differ. */
export function walkXml(bytes: Buffer, handler: XmlHandler): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > MAX_XML_DEPTH) throw unreadable('tooLarge');
        handler.open(localName(name), attributes);
      },
      ontext: handler.text,
      onclosetag(name) {
        depth--;
        handler.close(localName(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  const text = decodeText(bytes);
  for (let at = 0; at < text.length; at += PIECE) parser.write(text.slice(at, at + PIECE));
  parser.end();
}

export function parseXml(bytes: Buffer): XmlElement {
  const root: XmlElement = { name: '', attributes: {}, children: [] };
  const stack = [root];
  walkXml(bytes, {
    open(name, attributes) {
      const element: XmlElement = { name, attributes, children: [] };
      stack.at(-1)?.children.push(element);
      stack.push(element);
    },
    text(text) {
      const siblings = stack.at(-1)?.children ?? [];
      const last = siblings.length - 1;
      if (typeof siblings[last] === 'string') siblings[last] += text;
      else siblings.push(text);
    },
    close: () => stack.pop(),
  });
  return root;
}

export const elementsOf = ({ children }: XmlElement): XmlElement[] =>
  children.filter((child) => typeof child !== 'string');

export const childOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element && elementsOf(element).find((child) => child.name === name);

/** Returns all descendants with that name in document order, without those nested in another match. */
export function allOf(element: XmlElement | undefined, name: string): XmlElement[] {
  if (!element) return [];
  return elementsOf(element).flatMap((child) => (child.name === name ? [child] : allOf(child, name)));
}

export const firstOf = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  allOf(element, name)[0];

/** Reads an attribute by its local name, with any prefix. */
export function attribute(element: XmlElement | undefined, name: string): string | undefined {
  if (!element) return undefined;
  const exactMatch = element.attributes[name];
  if (exactMatch !== undefined) return exactMatch;
  return Object.entries(element.attributes).find(([key]) => key.endsWith(`:${name}`))?.[1];
}

export const textOf = ({ children }: XmlElement): string =>
  children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
