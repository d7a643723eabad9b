/** The structure of a PDF: what is a heading, a table, a figure, for readers that speak or flow the text anew. */
import { type PdfFile, ref, textString } from './pdf-file.ts';

export type StructureTag = {
  id: number;
  role: string;
  parent: StructureTag | undefined;
  alt: string;
  entries: string[];
  attributes: string;
};

export type StructureTags = {
  root: StructureTag;
  open: (parent: StructureTag, role: string, more?: { alt?: string; attributes?: string }) => StructureTag;
  /** A part of a page becomes the tag's; answers its number on the page. */
  mark: (tag: StructureTag, page: { id: number; index: number }) => number;
  /** A link's annotation becomes the tag's; answers its key. */
  own: (tag: StructureTag, annotation: number, page: { id: number }) => number;
  write: () => number;
};

export function structureTags(file: PdfFile): StructureTags {
  const tree = file.reserve();
  const all: StructureTag[] = [];
  const pages: StructureTag[][] = [];
  const links: StructureTag[] = [];
  const open: StructureTags['open'] = (parent, role, { alt = '', attributes = '' } = {}) =>
    add(parent, role, alt, attributes);
  function add(parent: StructureTag | undefined, role: string, alt = '', attributes = ''): StructureTag {
    const tag = { id: file.reserve(), role, parent, alt, attributes, entries: [] };
    parent?.entries.push(ref(tag.id));
    all.push(tag);
    return tag;
  }
  return {
    root: add(undefined, 'Document'),
    open,
    mark: (tag, { id, index }) => {
      pages[index] ??= [];
      const number = pages[index].push(tag) - 1;
      tag.entries.push(`<< /Type /MCR /Pg ${ref(id)} /MCID ${number} >>`);
      return number;
    },
    own: (tag, annotation, { id }) => {
      tag.entries.push(`<< /Type /OBJR /Pg ${ref(id)} /Obj ${ref(annotation)} >>`);
      return LINKS_FROM + links.push(tag) - 1;
    },
    write: () => writeTags(file, tree, { all, pages, links }),
  };
}

/** Pages have the keys below. */
const LINKS_FROM = 10_000;

type Collected = {
  all: readonly StructureTag[];
  pages: readonly (StructureTag[] | undefined)[];
  links: readonly StructureTag[];
};

function writeTags(file: PdfFile, tree: number, { all, pages, links }: Collected): number {
  for (const { id, role, parent, alt, entries, attributes } of all) {
    const more = (alt ? ` /Alt ${textString(alt)}` : '') + (attributes ? ` /A ${attributes}` : '');
    file.put(id, `<< /Type /StructElem /S /${role} /P ${ref(parent?.id ?? tree)} /K [${entries.join(' ')}]${more} >>`);
  }
  const numbers = [
    ...pages.map((tags, index) => `${index} [${(tags ?? []).map(({ id }) => ref(id)).join(' ')}]`),
    ...links.map(({ id }, at) => `${LINKS_FROM + at} ${ref(id)}`),
  ];
  const parents = file.add(`<< /Nums [${numbers.join(' ')}] >>`);
  const [root] = all;
  return file.put(
    tree,
    `<< /Type /StructTreeRoot /K [${ref(root?.id ?? tree)}] /ParentTree ${ref(parents)} /ParentTreeNextKey ${LINKS_FROM + links.length} >>`,
  );
}
