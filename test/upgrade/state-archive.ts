/** Packs a state folder into one small file, and unpacks it again. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

const MAX_BYTES = 100_000_000;
/** SQLite's log repeats whole pages at distances beyond the window of gzip. */
const WINDOW = { params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS } };

/** Without the lock and addresses of the process that was killed. */
export function packState(state: string, file: string): void {
  const args = ['-cf', '-', '--exclude=lock.*', '--exclude=local.json', '-C', state, '.'];
  writeFileSync(file, brotliCompressSync(execFileSync('tar', args, { maxBuffer: MAX_BYTES }), WINDOW));
}

export function unpackState(file: string, state: string): void {
  mkdirSync(state, { recursive: true });
  execFileSync('tar', ['-xf', '-', '-C', state], { input: brotliDecompressSync(readFileSync(file)) });
}
