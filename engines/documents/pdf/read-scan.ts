/**
 * A page without text may be a picture of one: its large pictures are read by OCR. Those that are packed as faxes
 * (CCITT, JBIG2) or as JPEG 2000 cannot be unpacked here.
 */
import { unreadable } from '../failure.ts';
import { readPixels } from '../image/read-pixels.ts';
import type { Reading } from '../read-document.ts';
import { loadPdfjs, type PdfPage } from './open-pdf.ts';

/** Smaller ones are ornaments. */
const FEWEST_PIXELS = 100_000;
const WAIT_MS = 20_000;

type Picture = { width: number; height: number; kind?: number; data?: Uint8Array | Uint8ClampedArray };

/** Nothing when there is a picture that cannot be unpacked. */
export async function readScan(page: PdfPage, reading: Reading, count: () => number): Promise<string | undefined> {
  const { OPS } = await loadPdfjs();
  const { fnArray, argsArray } = await page.getOperatorList();
  const names = fnArray.flatMap((operation, at) =>
    operation === OPS.paintImageXObject ? [String((argsArray[at] as unknown[])[0])] : [],
  );
  const texts: string[] = [];
  for (const name of new Set(names)) {
    const picture = await pictureOf(page, name);
    if (!picture) return undefined;
    const pixels = picture.width * picture.height;
    if (!picture.data || pixels < FEWEST_PIXELS) continue;
    if (pixels > reading.limits.pixels) throw unreadable('tooLarge');
    if (count() > reading.limits.scannedPages) throw unreadable('tooLarge');
    texts.push(await readPixels({ ...picture, data: picture.data }, reading.assets));
  }
  return texts.join('\n\n');
}

/** Pictures that several pages share lie elsewhere. */
function pictureOf(page: PdfPage, name: string): Promise<Picture | undefined> {
  const held = name.startsWith('g_') ? page.commonObjs : page.objs;
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(undefined), WAIT_MS);
    held.get(name, (picture: Picture | null) => {
      clearTimeout(timer);
      resolve(picture ?? undefined);
    });
  });
}
