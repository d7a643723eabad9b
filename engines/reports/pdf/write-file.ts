/** What holds the pages of a PDF together: footers, outline, places, fonts, what it says of itself. */
import type { TidyReport } from '../tidy-report.ts';
import { INK, MARGIN, type PageFlow, type PagePosition, WIDTH } from './flow.ts';
import { ref, textString } from './pdf-file.ts';
import { A4 } from './pdf-page.ts';

const FOOT = { size: 8, y: A4.height - 40 };
const TITLE_ROOM = 60;

export function writeFile(flow: PageFlow, report: TidyReport): Uint8Array {
  const { file, pages, fonts, tags } = flow;
  putFooters(flow, report);
  const parent = file.reserve();
  const resources = `<< /Font << /${fonts.regular.name} ${ref(fonts.regular.write(file))} /${fonts.semiBold.name} ${ref(fonts.semiBold.write(file))} >> >>`;
  for (const page of pages) page.write(parent, resources);
  file.put(parent, `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map(({ id }) => ref(id)).join(' ')}] >>`);
  const root = file.add(
    `<< /Type /Catalog /Pages ${ref(parent)} /Lang ${textString(report.language)} /MarkInfo << /Marked true >> /StructTreeRoot ${ref(tags.write())} /Outlines ${ref(outlineOf(flow))} /Names << /Dests << /Names [${placesOf(flow)}] >> >> /ViewerPreferences << /DisplayDocTitle true >> >>`,
  );
  const made = new Date(report.madeAt);
  const date = Number.isNaN(made.getTime()) ? '' : `/CreationDate (${pdfDate(made)}) /ModDate (${pdfDate(made)})`;
  const info = file.add(`<< /Title ${textString(report.title)} /Creator (Errand) /Producer (Errand) ${date} >>`);
  return file.bytes({ root, info });
}

const pdfDate = (date: Date): string => `D:${date.toISOString().replaceAll(/\D/g, '').slice(0, 14)}Z`;

/** Known only when the last page is full. */
function putFooters({ pages, fonts: { regular } }: PageFlow, { title }: TidyReport): void {
  const ink = { y: FOOT.y, size: FOOT.size, font: regular, colour: INK.soft };
  const name = fitting(regular.plain(title), (text) => regular.widthOf(text, FOOT.size), WIDTH - TITLE_ROOM);
  for (const page of pages) {
    const number = `${page.index + 1} / ${pages.length}`;
    const x = MARGIN.side + WIDTH - regular.widthOf(number, FOOT.size);
    page.within(undefined, () => {
      page.text({ ...ink, text: name, x: MARGIN.side });
      page.text({ ...ink, text: number, x });
    });
  }
}

function fitting(text: string, widthOf: (text: string) => number, room: number): string {
  if (widthOf(text) <= room) return text;
  const letters = Array.from(text);
  while (letters.length > 0 && widthOf(`${letters.join('')}…`) > room) letters.pop();
  return `${letters.join('').trimEnd()}…`;
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

/** A tree of names is sorted by bytes. */
const placesOf = ({ places }: PageFlow): string =>
  [...places]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, place]) => `(${name}) ${target(place)}`)
    .join(' ');
