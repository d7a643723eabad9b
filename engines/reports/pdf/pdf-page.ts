/** A page that is drawn on from the top down, in points. */

import type { PdfFile } from './pdf-file.ts';
import { ref, textString } from './pdf-file.ts';
import type { PdfFont } from './pdf-font.ts';
import type { StructureTag, StructureTags } from './tags.ts';

export const A4 = { width: 595.28, height: 841.89 };

export type PageText = {
  text: string;
  x: number;
  y: number;
  size: number;
  font: PdfFont;
  colour: string;
  isTabular?: boolean;
};

/** A place in the file, or an address in the web. */
export type LinkTarget = { to: string } | { address: string };

export type ReportPage = {
  id: number;
  index: number;
  /** What `draw` draws is the tag's, or nobody's: an ornament that is not read out. */
  within: (tag: StructureTag | undefined, draw: () => void) => void;
  text: (ink: PageText) => void;
  /** Operators as they are, in points from the bottom left. */
  raw: (operators: string) => void;
  link: (tag: StructureTag, box: { x: number; top: number; width: number; height: number }, target: LinkTarget) => void;
  write: (parent: number, resources: string) => void;
};

export function openPage(file: PdfFile, tags: StructureTags, index: number): ReportPage {
  const id = file.reserve();
  const operators: string[] = [];
  const links: number[] = [];
  const raw = (line: string) => void operators.push(line);
  return {
    id,
    index,
    raw,
    within: (tag, draw) => {
      raw(tag ? `/${tag.role} << /MCID ${tags.mark(tag, { id, index })} >> BDC` : '/Artifact BMC');
      draw();
      raw('EMC');
    },
    text: ({ text, x, y, size, font, colour, isTabular }) =>
      raw(
        `BT /${font.name} ${short(size)} Tf ${fill(colour)} 1 0 0 1 ${short(x)} ${short(A4.height - y)} Tm ${font.show(text, isTabular)} TJ ET`,
      ),
    link: (tag, { x, top, width, height }, target) => {
      const annotation = file.reserve();
      const key = tags.own(tag, annotation, { id });
      const rect = [x, A4.height - top - height, x + width, A4.height - top].map(short).join(' ');
      const action = 'to' in target ? `/Dest (${target.to})` : `/A << /S /URI /URI (${escapeUrl(target.address)}) >>`;
      const words = 'to' in target ? '' : ` /Contents ${textString(target.address)}`;
      file.put(
        annotation,
        `<< /Type /Annot /Subtype /Link /Rect [${rect}] /Border [0 0 0] /F 4 /StructParent ${key} ${action}${words} >>`,
      );
      links.push(annotation);
    },
    write: (parent, resources) => {
      const contents = file.addStream(Buffer.from(operators.join('\n'), 'latin1'));
      const annotations = links.length > 0 ? `/Annots [${links.map(ref).join(' ')}] ` : '';
      file.put(
        id,
        `<< /Type /Page /Parent ${ref(parent)} /MediaBox [0 0 ${A4.width} ${A4.height}] /Resources ${resources} /Contents ${ref(contents)} ${annotations}/StructParents ${index} /Tabs /S >>`,
      );
    },
  };
}

/** Addresses are judged and so of ASCII alone. */
const escapeUrl = (address: string): string => address.replaceAll(/[\\()]/g, '\\$&');

export const short = (value: number): string => String(Math.round(value * 100) / 100);

const parts = (colour: string): string =>
  [1, 3, 5].map((at) => short(Number.parseInt(colour.slice(at, at + 2), 16) / 255)).join(' ');

export const fill = (colour: string): string => `${parts(colour)} rg`;
export const stroke = (colour: string): string => `${parts(colour)} RG`;
