/** The files of a recorded release. What is long is compressed. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib';
import type { Any } from '../support/any.ts';

/** An update may begin at each of these; the contracts and the template are those of the newest one. */
export const RELEASES = ['0.1.0', '0.2.0'] as const;
export const NEWEST_RELEASE = '0.2.0' satisfies (typeof RELEASES)[number];

export const recordedFolder = (version: string): string => join(import.meta.dirname, `recorded-${version}`);

export function readRecorded(version: string, name: string): Any {
  const file = join(recordedFolder(version), name);
  const bytes = existsSync(file) ? readFileSync(file) : brotliDecompressSync(readFileSync(`${file}.br`));
  return JSON.parse(bytes.toString('utf8'));
}

export function writeCompressed(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.br`, brotliCompressSync(text));
}
