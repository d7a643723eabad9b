/** Faxes within PDFs, packed by programs other than the product, pixel by pixel. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Fax, faxesIn, unpackFax } from '../../../engines/documents/pdf/fax.ts';
import { expectWithin } from '../../support/expect-time.ts';
import { processorMs } from '../../support/machine-speed.ts';

const FAXES = join(import.meta.dirname, 'samples/faxes');
const WIDTH = 2719;
const HEIGHT = 300;

/** What `test/support/samples/pictures.py` has drawn: runs of every length, a set bit being white. */
function everyRun(): Buffer {
  const rowBytes = Math.ceil(WIDTH / 8);
  const data = Buffer.alloc(rowBytes * HEIGHT, 0xff);
  const blacken = (byte: number, bit: number) => data.writeUInt8(data.readUInt8(byte) & ~bit, byte);
  for (let row = 0; row < HEIGHT; row++) {
    let at = 0;
    for (let count = 0; at < WIDTH; count++) {
      const end = at + 1 + ((row * 37 + count * count * 101) % ([5, 70, 2700][row % 3] ?? 1));
      const isBlack = (row + count) % 2 === 0;
      for (; at < Math.min(end, WIDTH); at++) if (isBlack) blacken(row * rowBytes + (at >> 3), 0x80 >> (at & 7));
    }
  }
  return data;
}

const faxIn = (file: string): Fax => faxesIn(readFileSync(join(FAXES, file)))[0] as Fax;

describe.each(['runs.img2pdf.pdf', 'runs.pillow.pdf'])('%s', (file) => {
  it('is unpacked to the very pixels, runs of every length among them', () => {
    const fax = faxIn(file);
    expect([fax.width, fax.height]).toEqual([WIDTH, HEIGHT]);
    expect(everyRun().equals(unpackFax(fax))).toBe(true);
  });

  it('keeps what stands above a place where it is cut off, and leaves the rest white', () => {
    const fax = faxIn(file);
    const data = unpackFax({ ...fax, bytes: fax.bytes.subarray(0, fax.bytes.length / 2) });
    expect(everyRun().subarray(0, 20_000).equals(data.subarray(0, 20_000))).toBe(true);
    expect(data.at(-1)).toBe(0xff);
  });
});

describe('hostile faxes', () => {
  it('end soon, whatever their bits say', () => {
    const fax = faxIn('runs.pillow.pdf');
    const took = processorMs(() => {
      for (const byte of [0x00, 0xff, 0x55, 0x24, 0x49, 0x11, 0x26])
        unpackFax({ ...fax, bytes: Buffer.alloc(2_000_000, byte), width: 6_000, height: 6_000 });
    });
    expectWithin(took, 10_000);
  });

  it('are none without a size, within another packing, of another group, or in an encrypted file', () => {
    const head = (more: string) => Buffer.from(`1 0 obj<<${more}/Length 3>>stream\nabc\nendstream`);
    const parts = '/Width 8/Height 8/DecodeParms<</K -1/Columns 8>>';
    expect(faxesIn(head(`/Filter/CCITTFaxDecode${parts}`))).toHaveLength(1);
    const others = [
      '/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 8>>',
      `/Filter[/FlateDecode/CCITTFaxDecode]${parts}`,
      `/Filter/CCITTFaxDecode${parts.replace('-1', '0')}`,
      `/Encrypt 1 0 R/Filter/CCITTFaxDecode${parts}`,
    ];
    for (const other of others) expect(faxesIn(head(other))).toEqual([]);
  });
});
