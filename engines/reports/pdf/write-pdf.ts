/** A report as a PDF: A4, its text searchable and tagged, its charts drawn as lines, the same bytes for the same report. */
import { readFile } from 'node:fs/promises';
import type { FontFiles } from '../../fonts/font-files.ts';
import { openFont } from '../../fonts/open-font.ts';
import type { ReportSource } from '../report-document.ts';
import { showDate } from '../show-date.ts';
import type { TidyReport } from '../tidy-report.ts';
import { type Flow, type Fonts, INK, MARGIN, need, openFlow, placeHere, WIDTH } from './flow.ts';
import { linesOf, type Piece } from './lines.ts';
import { pdfFile } from './pdf-file.ts';
import { type Face, faceOf, pdfFont } from './pdf-font.ts';
import { BODY, putBlock, putItem, putNote } from './put-blocks.ts';
import { putLines } from './put-lines.ts';
import { tagsOf } from './tags.ts';
import { writeFile } from './write-file.ts';

const TITLE = { size: 22, leading: 28 };
const SUBTITLE = { size: 12.5, leading: 18 };
const HEADING = { size: 14, leading: 19 };
/** A heading is not left alone at the foot of a page. */
const WITH_HEADING = 60;

let faces: Promise<{ regular: Face; semiBold: Face }> | undefined;

/** What could not be loaded once is tried again by the next report. */
function forget(error: unknown): never {
  faces = undefined;
  throw error;
}

async function load({ regular, semiBold }: FontFiles): Promise<{ regular: Face; semiBold: Face }> {
  const [plain, strong] = await Promise.all([regular, semiBold].map((file) => readFile(file)));
  const none = new Uint8Array();
  return {
    regular: faceOf(openFont(plain ?? none), 'Inter-Regular'),
    semiBold: faceOf(openFont(strong ?? none), 'Inter-SemiBold'),
  };
}

export async function writePdf(report: TidyReport, files: FontFiles): Promise<Uint8Array> {
  faces ??= load(files).catch(forget);
  const { regular, semiBold } = await faces;
  const file = pdfFile();
  const fonts: Fonts = { regular: pdfFont('F1', regular), semiBold: pdfFont('F2', semiBold) };
  const flow = openFlow(file, tagsOf(file), fonts);
  putHead(flow, report);
  for (const { heading, blocks } of report.sections) {
    putHeading(flow, heading);
    for (const block of blocks) putBlock(flow, block, report.language);
  }
  if (report.sources.length > 0) putSources(flow, report);
  return writeFile(flow, report);
}

function putHead(flow: Flow, { title, subtitle, madeAt, language, notes }: TidyReport): void {
  const { fonts } = flow;
  const put = (
    text: string,
    role: string,
    look: { size: number; leading: number; strong?: boolean; colour?: string },
  ) => {
    const font = look.strong ? fonts.semiBold : fonts.regular;
    const lines = linesOf([{ text, look: { font, size: look.size, colour: look.colour ?? INK.strong } }], WIDTH);
    putLines(flow, lines, { x: MARGIN.side, leading: look.leading, tag: flow.tags.open(flow.tags.root, role) });
  };
  put(title, 'H1', { ...TITLE, strong: true });
  flow.y += 4;
  if (subtitle) put(subtitle, 'P', { ...SUBTITLE, colour: INK.soft });
  put(showDate(madeAt, language), 'P', { size: 9, leading: 16, colour: INK.soft });
  flow.y += 12;
  for (const note of notes) putNote(flow, note);
}

function putHeading(flow: Flow, text: string): void {
  const look = { font: flow.fonts.semiBold, size: HEADING.size, colour: INK.strong };
  const lines = linesOf([{ text, look }], WIDTH);
  if (flow.y > MARGIN.top) flow.y += 12;
  need(flow, lines.length * HEADING.leading + WITH_HEADING);
  flow.outline.push({ title: text, place: placeHere(flow) });
  putLines(flow, lines, { x: MARGIN.side, leading: HEADING.leading, tag: flow.tags.open(flow.tags.root, 'H2') });
  flow.y += 5;
}

function putSources(flow: Flow, { sources, language }: TidyReport): void {
  putHeading(flow, 'Sources');
  const list = flow.tags.open(flow.tags.root, 'L');
  const digits = String(sources.at(-1)?.number ?? 0).length;
  for (const source of sources) {
    need(flow, 2 * BODY.leading);
    flow.places.set(`source-${source.number}`, placeHere(flow));
    const tag = flow.tags.open(list, 'LI');
    const tagged = { label: flow.tags.open(tag, 'Lbl'), body: flow.tags.open(tag, 'LBody') };
    putItem(flow, {
      label: `${source.number}.`,
      pieces: sourcePieces(flow, source, language),
      tag: tagged,
      indent: 14 + 6 * digits,
    });
    flow.y += 3;
  }
}

function sourcePieces(
  { fonts }: Flow,
  { title, address, publishedAt, isSample }: ReportSource,
  language: string,
): Piece[] {
  const plain = { font: fonts.regular, size: BODY.size, colour: INK.text };
  const soft = { ...plain, colour: INK.soft };
  const more = [publishedAt ? showDate(publishedAt, language) : '', isSample ? 'sample data' : '']
    .filter(Boolean)
    .join(', ');
  const shown = address && address !== title ? address : '';
  return [
    { text: title, look: address ? { ...plain, colour: INK.link, target: { address } } : plain },
    ...(more ? [{ text: ` ${more}`, look: soft }] : []),
    // On paper nobody can follow a link that is not written out.
    ...(shown ? [{ text: ` ${shown}`, look: { ...soft, size: 8 } }] : []),
  ];
}
