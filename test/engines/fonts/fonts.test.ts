import { describe, expect, it } from 'vitest';
import { kerningOf, subsetFont, substitutesOf } from '../../../engines/fonts/embed-font.ts';
import { toShowable } from '../../../engines/fonts/font.ts';
import { measureAt, shorten, wrap } from '../../../engines/fonts/text-layout.ts';
import { WIDTHS } from '../../../engines/fonts/widths.ts';
import { widthsOf } from '../../../scripts/fonts/widths.ts';
import { fonts } from './setup.ts';

const { regular } = fonts;
const glyphOf = (letter: string) => regular.glyphOf(letter.codePointAt(0) ?? 0);
const advanceOf = (letter: string) => regular.advanceOf(glyphOf(letter));

function tableOf(font: Uint8Array, tag: string): DataView {
  const view = new DataView(font.buffer, font.byteOffset);
  const entries = Array.from({ length: view.getUint16(4) }, (_, entry) => 12 + 16 * entry);
  const entry = entries.find((at) => Buffer.from(font.subarray(at, at + 4)).toString() === tag) ?? 0;
  return new DataView(font.buffer, font.byteOffset + view.getUint32(entry + 8));
}
const glyphsIn = (font: Uint8Array): number => tableOf(font, 'maxp').getUint16(4);

/** The first component of a composite glyph. */
function firstPartOf(font: Uint8Array, glyph: number): number {
  const at = tableOf(font, 'loca').getUint32(4 * glyph);
  return tableOf(font, 'glyf').getUint16(at + 12);
}

describe('the fonts', () => {
  it.each(Object.entries(fonts))('show the letters of Europe: %s', (_, { glyphOf }) => {
    const letters = 'AZaz09ÄÖÜßéÉçñåøłŁőŵžİşğΑΩαωάΰЂАЯаяёїґњ€£₽₴%‰–—…“”„«»°±×÷≤≥→²³½−';
    expect(Array.from(letters).filter((letter) => glyphOf(letter.codePointAt(0) ?? 0) === 0)).toEqual([]);
  });

  it('have the same letters in both weights, so that one tells what both can show', () => {
    const { regular: plain, semiBold: strong } = fonts;
    const letters = Array.from({ length: 0x3000 }, (_, code) => code);
    expect(letters.filter((code) => (plain.glyphOf(code) === 0) !== (strong.glyphOf(code) === 0))).toEqual([]);
  });

  it('are as wide as is written down of them', () => {
    expect(WIDTHS).toEqual(widthsOf(regular));
  });

  it('have digits of one width beside those that are not', () => {
    const tabular = substitutesOf(regular, 'tnum');
    const widths = Array.from('0123456789', (digit) => regular.advanceOf(tabular.get(glyphOf(digit)) ?? 0));
    expect(new Set(widths).size).toBe(1);
    expect(advanceOf('1')).toBeLessThan(advanceOf('0'));
  });

  it('move letters together that leave a gap, and none that do not', () => {
    const kern = kerningOf(regular);
    expect(kern(glyphOf('A'), glyphOf('V'))).toBeLessThan(0);
    expect(kern(glyphOf('T'), glyphOf('o'))).toBeLessThan(0);
    expect(kern(glyphOf('H'), glyphOf('I'))).toBe(0);
  });

  it('are small with few letters, and take the parts of letters along', () => {
    const plain = subsetFont(regular, [0, glyphOf('a')]);
    const accented = subsetFont(regular, [0, glyphOf('á')]);
    expect(plain.length).toBeLessThan(3_000);
    expect(glyphsIn(plain)).toBe(2);
    expect(glyphsIn(accented)).toBe(4);
    expect(firstPartOf(accented, 1)).toBe(2);
  });
});

describe('what a font does not have', () => {
  it.each([
    ['naïve Ωμέγα Ёж', 'naïve Ωμέγα Ёж'],
    ['東京 と 大阪!', '[Han, Hiragana]!'],
    ['go 🚀 now 👩‍👩‍👧', 'go  now '],
    ['e\u0301\u0323', 'ẹ́'.normalize('NFC')],
    ['ﬁn\u00ad \u3000x\u200d', 'fin  x'],
    ['ℵ0 and ｆｕｌｌ', '[other characters]0 and full'],
    ['«سلام دنیا» and 한국', '«[Arabic]» and [Hangul]'],
  ])('%s is shown as %s', (text, shown) => {
    expect(toShowable(text, regular)).toBe(shown);
  });
});

describe('measuring', () => {
  it('is never less than the font says', () => {
    const exact = (text: string) =>
      Array.from(text).reduce((sum, letter) => sum + advanceOf(letter), 0) / regular.unitsPerEm;
    for (const text of ['Policy rates', 'Санкт-Петербург', 'Αλεξανδρούπολη', '−12,345.67 €']) {
      expect(measureAt(10)(text)).toBeGreaterThan(exact(text) * 10);
    }
  });
});

describe('breaking lines', () => {
  const letters = (text: string) => Array.from(text).length;

  it('is between words and after hyphens, and in words only where there is no other way', () => {
    expect(wrap('one two-three four', 8, letters)).toEqual({ lines: ['one two-', 'three', 'four'], isWhole: true });
    expect(wrap('abcdefghij kl', 4, letters)).toEqual({ lines: ['abcd', 'efgh', 'ij', 'kl'], isWhole: false });
  });

  it('leaves out what has no line any more, and says so', () => {
    expect(wrap('one two three four', 5, letters, 2)).toEqual({ lines: ['one', 'two…'], isWhole: false });
    expect(shorten('abcdef', 4, letters)).toBe('abc…');
  });

  it('ends, whatever there is room for', () => {
    for (const room of [-1, 0, 0.5]) expect(wrap('ab 👩‍👩‍👧 c', room, letters).lines.join('')).toContain('a');
  });
});
