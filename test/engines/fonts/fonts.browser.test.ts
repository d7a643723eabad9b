import { afterAll, beforeAll, expect, it } from 'vitest';
import { pdfFont, pdfFontFace } from '../../../engines/reports/pdf/pdf-file.ts';
import { type OpenBrowser, openBrowser } from '../../support/browser/open-browser.ts';
import { bytesOf, fonts } from './setup.ts';

let browser: OpenBrowser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

const TEXTS = [
  'AVATAR To Yes, Wave; “LTD.” P. Ty',
  'Größe, naïve, Łódź, İstanbul',
  'Η ανάπτυξη ήταν ισχυρή. ΑΥΤΟ',
  'Рост был сильным. ГОД, Тула',
  '1,234.50 € – 17 % of 2025/26',
];

it.each(Object.entries(fonts))(
  'sets lines exactly as wide as a browser does, kerning included: %s',
  async (name, font) => {
    const source = bytesOf[name as keyof typeof bytesOf].toString('base64');
    const style = `@font-face{font-family:Ours;src:url(data:font/ttf;base64,${source})}span{font:100px Ours;font-variant-ligatures:none;white-space:pre}`;
    const { page } = await browser.show(
      `<style>${style}</style>${TEXTS.map((text) => `<p><span>${text}</span></p>`).join('')}`,
    );
    await page.locator('html').evaluate((html) => html.ownerDocument.fonts.load('100px Ours'));
    const widths = await page
      .locator('span')
      .evaluateAll((spans) => spans.map((span) => span.getBoundingClientRect().width));
    const ours = pdfFont('F', pdfFontFace(font, 'Ours'), new Set());
    for (const [at, text] of TEXTS.entries()) expect(ours.widthOf(text, 100), text).toBeCloseTo(widths[at] ?? 0, 0);
    await page.context().close();
  },
);
