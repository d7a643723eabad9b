/**
 * A page without text may be a picture of one: its large pictures are read by OCR, faxes of group 4 among them. Those
 * that are packed as faxes of group 3, as JBIG2 or as JPEG 2000 cannot be unpacked here.
 */
import { unreadable } from '../failure.ts';
import { readPixels } from '../image/read-pixels.ts';
import type { ReaderInput } from '../read-document.ts';
import { loadPdfjs, type PdfPage } from './open-pdf.ts';
import { type Fax, unpackFax } from './unpack-fax.ts';

/** Smaller ones are ornaments. */
const MIN_PIXELS = 100_000;
const WAIT_MS = 20_000;

type Picture = { width: number; height: number; kind?: number; data?: Uint8Array | Uint8ClampedArray };

/** What the pages of one PDF share. */
export type ScanState = { count: number; faxes: Fax[] };

/** Nothing when there is a picture that cannot be unpacked. */
export async function readScan(page: PdfPage, reading: ReaderInput, scans: ScanState): Promise<string | undefined> {
  const { OPS } = await loadPdfjs();
  const { fnArray, argsArray } = await page.getOperatorList();
  const named = new Map(
    fnArray.flatMap((operation, at): [string, number[]][] => {
      if (operation !== OPS.paintImageXObject) return [];
      const [name, ...size] = argsArray[at] as [unknown, number, number];
      return [[String(name), size]];
    }),
  );
  const texts: string[] = [];
  for (const [name, [width = 0, height = 0]] of named) {
    const picture = (await pictureOf(page, name)) ?? nextFax(scans, width, height);
    if (!picture) return undefined;
    const pixels = picture.width * picture.height;
    if (pixels < MIN_PIXELS) continue;
    if (pixels > reading.limits.pixels) throw unreadable('tooLarge');
    const data = 'bytes' in picture ? unpackFax(picture) : picture.data;
    if (!data) continue;
    if (++scans.count > reading.limits.scannedPages) throw unreadable('tooLarge');
    texts.push(await readPixels({ ...picture, data }, reading));
  }
  return texts.join('\n\n');
}

/** Its name is lost where it is found: pages and their pictures follow one another in a file that a scanner wrote. */
function nextFax({ faxes }: ScanState, width: number, height: number): Fax | undefined {
  const at = faxes.findIndex((fax) => fax.width === width && fax.height === height);
  return at < 0 ? undefined : faxes.splice(at, 1)[0];
}

/** Pictures that several pages share lie elsewhere. */
function pictureOf(page: PdfPage, name: string): Promise<Picture | undefined> {
  const objects = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), WAIT_MS);
    objects.get(name, (picture: Picture | null) => {
      clearTimeout(timer);
      resolve(picture ?? undefined);
    });
  });
}
