/** The contrast of each text on a page with its background, by WCAG. */
import type { Page } from 'playwright-core';

type Look = { words: string; colour: string; behind: string };
type Style = { color: string; fill: string; backgroundColor: string };
type Element = {
  textContent: string | null;
  tagName: string;
  parentElement: Element | null;
  childNodes: Iterable<{ nodeType: number; textContent: string | null }>;
  ownerDocument: { defaultView: { getComputedStyle: (element: Element) => Style } };
  getBoundingClientRect: () => { width: number };
  closest: (selector: string) => { querySelector: (selector: string) => Element } | null;
};

const MAX_SHOWN = 60;

export async function faintWords(page: Page, least: number): Promise<string[]> {
  const looks = await looksOn(page);
  return looks
    .map((look) => ({ ...look, contrast: contrastOf(look.colour, look.behind) }))
    .filter(({ contrast }) => contrast < least)
    .map(({ words, contrast }) => `"${words}" at ${contrast.toFixed(2)}`);
}

/** Texts of a drawing lie on its paper, others on the nearest opaque background. */
const looksOn = (page: Page): Promise<Look[]> =>
  page.locator('body *').evaluateAll((elements: Element[], most) => {
    const styleOf = (element: Element) => element.ownerDocument.defaultView.getComputedStyle(element);
    const ownWords = ({ childNodes }: Element) =>
      Array.from(childNodes, ({ nodeType, textContent }) => (nodeType === 3 ? (textContent ?? '').trim() : '')).join(
        '',
      );
    function behind(element: Element): string {
      let at: Element | null = element;
      while (at && styleOf(at).backgroundColor === 'rgba(0, 0, 0, 0)') at = at.parentElement;
      return at ? styleOf(at).backgroundColor : 'rgb(255, 255, 255)';
    }
    return elements
      .filter((element) => element.getBoundingClientRect().width > 0 && ownWords(element))
      .map((element) => {
        const paper = element.tagName === 'text' ? element.closest('svg')?.querySelector('.c-paper') : undefined;
        return {
          words: ownWords(element).slice(0, most),
          colour: paper ? styleOf(element).fill : styleOf(element).color,
          behind: paper ? styleOf(paper).fill : behind(element),
        };
      });
  }, MAX_SHOWN);

export function contrastOf(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

function luminance(colour: string): number {
  const channels = colour.startsWith('#')
    ? [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16))
    : (colour.match(/[\d.]+/g) ?? []).map(Number);
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
