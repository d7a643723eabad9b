/** A report as a PDF: A4, tagged and searchable, charts as vector graphics, equal bytes for equal reports. */

import { readFile } from 'node:fs/promises';
import { type FontFiles, openFont } from '../../fonts/font.ts';
import { type ReportSource, reportWords, showDate, type TidyReport } from '../report-document.ts';
import { BODY, leadHeight, putBlock, putItem, putNote } from './blocks.ts';
import {
  A4,
  breakLines,
  currentPosition,
  ensureSpace,
  INK,
  MARGIN,
  type PageFlow,
  type PagePosition,
  type PdfFonts,
  putLines,
  type StyledText,
  startFlow,
  structureTags,
  WIDTH,
} from './pages.ts';
import { type PdfFontFace, pdfFile, pdfFont, pdfFontFace, ref, textString } from './pdf-file.ts';

const FOOT = { size: 8, y: A4.height - 40 };
const TITLE_ROOM = 60;

/** Completes the file: footers, fonts, outline, named destinations and metadata. */
function writeFile(flow: PageFlow, report: TidyReport): Uint8Array {
  const { file, pages, fonts, tags } = flow;
  putFooters(flow, report);
  const parent = file.reserve();
  const resources = `<< /Font << /${fonts.regular.name} ${ref(fonts.regular.write(file))} /${fonts.semiBold.name} ${ref(fonts.semiBold.write(file))} >> >>`;
  for (const page of pages) page.write(parent, resources);
  file.put(parent, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map(({ id }) => ref(id)).join(' ')}] >>`);
  const root = file.add(
    `<< /Type /Catalog /Pages ${ref(parent)} /Lang ${textString(report.language)} /MarkInfo << /Marked true >> /StructTreeRoot ${ref(tags.write())} /Outlines ${ref(outlineOf(flow))} /Names << /Dests << /Names [${placesOf(flow)}] >> >> /ViewerPreferences << /DisplayDocTitle true >> >>`,
  );
  const madeAt = new Date(report.madeAt);
  const date = Number.isNaN(madeAt.getTime()) ? '' : `/CreationDate (${pdfDate(madeAt)}) /ModDate (${pdfDate(madeAt)})`;
  const info = file.add(`<< /Title ${textString(report.title)} /Creator (Errand) /Producer (Errand) ${date} >>`);
  return file.bytes({ root, info });
}

const pdfDate = (date: Date): string => `D:${date.toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`;

/** Footers come last, as the number of pages is known only then. */
function putFooters({ pages, fonts: { regular } }: PageFlow, { title }: TidyReport): void {
  const ink = { y: FOOT.y, size: FOOT.size, font: regular, colour: INK.soft };
  const name = shortenToFit(regular.plain(title), (text) => regular.widthOf(text, FOOT.size), WIDTH - TITLE_ROOM);
  for (const page of pages) {
    const number = `${page.index + 1} / ${pages.length}`;
    const x = MARGIN.side + WIDTH - regular.widthOf(number, FOOT.size);
    page.within(undefined, () => {
      page.text({ ...ink, text: name, x: MARGIN.side });
      page.text({ ...ink, text: number, x });
    });
  }
}

function shortenToFit(text: string, widthOf: (text: string) => number, room: number): string {
  if (widthOf(text) <= room) return text;
  const words = Array.from(
    new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text),
    ({ segment }) => segment,
  );
  while (words.length > 0 && widthOf(`${words.join('').trimEnd()}…`) > room) words.pop();
  return `${words.join('').trimEnd()}…`;
}

const target = ({ page, y }: PagePosition): string => `[${ref(page)} /XYZ null ${Math.round(y)} null]`;

function outlineOf({ file, outline }: PageFlow): number {
  const root = file.reserve();
  const ids = outline.map(() => file.reserve());
  for (const [at, { title, place }] of outline.entries()) {
    const [before, after] = [ids[at - 1], ids[at + 1]];
    const beside = (before ? ` /Prev ${ref(before)}` : '') + (after ? ` /Next ${ref(after)}` : '');
    file.put(ids[at] ?? 0, `<< /Title ${textString(title)} /Parent ${ref(root)} /Dest ${target(place)}${beside} >>`);
  }
  const [first, last] = [ids[0], ids.at(-1)];
  const ends = first && last ? ` /First ${ref(first)} /Last ${ref(last)} /Count ${ids.length}` : '';
  return file.put(root, `<< /Type /Outlines${ends} >>`);
}

/** PDF requires name trees to be sorted by bytes. */
const placesOf = ({ places }: PageFlow): string =>
  [...places]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, place]) => `(${name}) ${target(place)}`)
    .join(' ');

const TITLE = { size: 22, leading: 28 };
const SUBTITLE = { size: 12.5, leading: 18 };
const HEADING = { size: 14, leading: 19 };
const HEADING_GAP = 5;

let faces: Promise<{ regular: PdfFontFace; semiBold: PdfFontFace }> | undefined;

/** Resets the cache after an error, so that the next report loads the fonts again. */
function forget(error: unknown): never {
  faces = undefined;
  throw error;
}

async function loadFaces({ regular, semiBold }: FontFiles): Promise<{ regular: PdfFontFace; semiBold: PdfFontFace }> {
  const [plain, strong] = await Promise.all([regular, semiBold].map((file) => readFile(file)));
  const none = new Uint8Array();
  return {
    regular: pdfFontFace(openFont(plain ?? none), 'Inter-Regular'),
    semiBold: pdfFontFace(openFont(strong ?? none), 'Inter-SemiBold'),
  };
}

/** Also returns the scripts that the fonts cannot show. */
export async function writePdf(
  report: TidyReport,
  files: FontFiles,
): Promise<{ bytes: Uint8Array; missingScripts: string[] }> {
  faces ??= loadFaces(files).catch(forget);
  const { regular, semiBold } = await faces;
  const file = pdfFile();
  const missing = new Set<string>();
  const fonts: PdfFonts = { regular: pdfFont('F1', regular, missing), semiBold: pdfFont('F2', semiBold, missing) };
  const flow = startFlow(file, structureTags(file), fonts);
  putHead(flow, report);
  for (const { heading, blocks } of report.sections) {
    putHeading(flow, heading, leadHeight(flow, blocks[0], report.language));
    for (const block of blocks) putBlock(flow, block, report.language);
  }
  if (report.sources.length > 0) putSources(flow, report);
  return { bytes: writeFile(flow, report), missingScripts: [...missing] };
}

function putHead(flow: PageFlow, { title, subtitle, madeAt, language, notes }: TidyReport): void {
  const { fonts } = flow;
  const putTitleLine = (
    text: string,
    role: string,
    look: { size: number; leading: number; strong?: boolean; colour?: string },
  ) => {
    const font = look.strong ? fonts.semiBold : fonts.regular;
    const lines = breakLines([{ text, look: { font, size: look.size, colour: look.colour ?? INK.strong } }], WIDTH);
    putLines(flow, lines, { x: MARGIN.side, leading: look.leading, tag: flow.tags.open(flow.tags.root, role) });
  };
  putTitleLine(title, 'H1', { ...TITLE, strong: true });
  flow.y += 4;
  if (subtitle) putTitleLine(subtitle, 'P', { ...SUBTITLE, colour: INK.soft });
  putTitleLine(showDate(madeAt, language), 'P', { size: 9, leading: 16, colour: INK.soft });
  flow.y += 12;
  for (const note of notes) putNote(flow, note);
}

/** `lead` is the height of what has to follow on the same page. */
function putHeading(flow: PageFlow, text: string, lead: number): void {
  const look = { font: flow.fonts.semiBold, size: HEADING.size, colour: INK.strong };
  const lines = breakLines([{ text, look }], WIDTH);
  if (flow.y > MARGIN.top) flow.y += 12;
  ensureSpace(flow, lines.length * HEADING.leading + HEADING_GAP + lead);
  flow.outline.push({ title: text, place: currentPosition(flow) });
  putLines(flow, lines, { x: MARGIN.side, leading: HEADING.leading, tag: flow.tags.open(flow.tags.root, 'H2') });
  flow.y += HEADING_GAP;
}

function putSources(flow: PageFlow, { sources, sourcesHeading, language }: TidyReport): void {
  putHeading(flow, sourcesHeading, 3 * BODY.leading);
  const list = flow.tags.open(flow.tags.root, 'L');
  const digits = String(sources.at(-1)?.number ?? 0).length;
  for (const source of sources) {
    ensureSpace(flow, 2 * BODY.leading);
    flow.places.set(`source-${source.number}`, currentPosition(flow));
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
  { fonts }: PageFlow,
  { title, address, publishedAt, isSample, places = [] }: ReportSource,
  language: string,
): StyledText[] {
  const plain = { font: fonts.regular, size: BODY.size, colour: INK.text };
  const soft = { ...plain, colour: INK.soft };
  const date = publishedAt ? showDate(publishedAt, language) : '';
  const more = [...places, date, isSample ? reportWords(language).sample : ''].filter(Boolean).join(', ');
  const printedUrl = address && address !== title ? address : '';
  return [
    { text: title, look: address ? { ...plain, colour: INK.link, target: { address } } : plain },
    ...(more ? [{ text: ` ${more}`, look: soft }] : []),
    // On paper, a link is only useful if its URL is written out.
    ...(printedUrl ? [{ text: ` ${printedUrl}`, look: { ...soft, size: 8 } }] : []),
  ];
}
