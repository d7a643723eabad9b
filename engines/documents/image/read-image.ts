/** A picture by OCR: one part with the text that stands in it, or none. */
import type { DocumentPart } from '../document.ts';
import { unreadable } from '../failure.ts';
import type { ReaderInput } from '../read-document.ts';
import { describeImage } from './describe-image.ts';
import { openOcr } from './ocr.ts';

export async function readImage(reading: ReaderInput): Promise<DocumentPart[]> {
  const { bytes, limits, budget } = reading;
  const image = describeImage(bytes);
  if (!image || image.width === 0 || image.height === 0) throw unreadable('corrupt');
  if (image.width * image.height > limits.pixels) throw unreadable('tooLarge');
  const ocr = await openOcr(reading);
  const text = budget.countText(ocr(bytes));
  return text === '' ? [] : [{ label: 'image', text }];
}
