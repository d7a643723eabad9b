/** Finds texts of drawings that leave their drawing or overlap others. */
import type { Page } from 'playwright-core';

type Box = { left: number; right: number; top: number; bottom: number };
type Letters = { words: string; box: Box };
type Drawn = { box: Box; texts: Letters[] };

/** As sentences that a failing test shows. */
export async function faultsOfLetters(page: Page): Promise<string[]> {
  const drawings = await drawingsOn(page);
  return drawings.length > 0 ? drawings.flatMap(faultsIn) : ['no drawing is shown'];
}

/** The used members of a DOM element. */
type Element = {
  textContent: string | null;
  getBoundingClientRect: () => { width: number; toJSON: () => Box };
  querySelectorAll: (name: string) => Iterable<Element>;
};

const drawingsOn = (page: Page): Promise<Drawn[]> =>
  page.locator('svg').evaluateAll((drawings: Element[]) =>
    drawings
      .filter((drawing) => drawing.getBoundingClientRect().width > 0)
      .map((drawing) => ({
        box: drawing.getBoundingClientRect().toJSON(),
        texts: Array.from(drawing.querySelectorAll('text'), (text) => ({
          words: text.textContent ?? '',
          box: text.getBoundingClientRect().toJSON(),
        })),
      })),
  );

const faultsIn = ({ box, texts }: Drawn): string[] =>
  texts.flatMap((text, at) => [
    ...(isIn(text.box, box)
      ? []
      : [`"${text.words}" leaves its drawing of ${Math.round(box.right - box.left)} pixels`]),
    ...texts
      .slice(at + 1)
      .flatMap((other) => (touch(text.box, other.box) ? [`"${text.words}" lies on "${other.words}"`] : [])),
  ]);

const isIn = (inner: Box, outer: Box): boolean =>
  inner.left >= outer.left - 0.5 &&
  inner.right <= outer.right + 0.5 &&
  inner.top >= outer.top - 0.5 &&
  inner.bottom <= outer.bottom + 0.5;

/** Lines of text stand closer than the boxes of their font. */
const touch = (one: Box, other: Box): boolean =>
  Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0.5 &&
  Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1.5;

/** No page is wider than its window. */
export const isScrolledSideways = (page: Page): Promise<boolean> =>
  page.locator('html').evaluate((html) => html.scrollWidth > html.clientWidth);
