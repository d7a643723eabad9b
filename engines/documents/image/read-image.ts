/** A picture by OCR: one part with the text that stands in it, or none. */
import type { Part } from '../document.ts';
import { unreadable } from '../failure.ts';
import type { Reading } from '../read-document.ts';
import { describeImage } from './describe-image.ts';
import { openOcr } from './ocr.ts';

export async function readImage(reading: Reading): Promise<Part[]> {
  const { bytes, limits, budget } = reading;
  const image = describeImage(bytes);
  if (!image || image.width === 0 || image.height === 0) throw unreadable('corrupt');
  if (image.width * image.height > limits.pixels) throw unreadable('tooLarge');
  const ocr = await openOcr(reading);
  const text = budget.take(ocr(bytes));
  return text === '' ? [] : [{ label: 'image', text }];
}
