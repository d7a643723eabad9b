/** Counts colours of a picture in the browser. */
import type { Page } from 'playwright-core';

type Pixels = { width: number; height: number; colours: number; share: number };

/** The number of colours, and the share of pixels that are not of the most frequent colour. */
export function pixelsOf(page: Page, png: Uint8Array): Promise<Pixels> {
  return page.locator('html').evaluate(async (html, text) => {
    const { createImageBitmap, OffscreenCanvas } = html.ownerDocument.defaultView;
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext('2d');
    context.drawImage(image, 0, 0);
    const counted = new Map<number, number>();
    for (const colour of new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)) {
      counted.set(colour, (counted.get(colour) ?? 0) + 1);
    }
    return { width, height, colours: counted.size, share: 1 - Math.max(...counted.values()) / (width * height) };
  }, Buffer.from(png).toString('base64'));
}
