/** Writes blobs of one letter each under one key, or as versions of one upload, until it is killed. */
import { folderBlobs } from '../../../adapters/local/file-blobs.ts';

const addresses = { sign: () => Promise.reject(), check: () => Promise.reject() };
const blobs = folderBlobs({ folder: process.argv[2] ?? '', addresses });

async function* body(letter: string) {
  for (let n = 0; n < 20; n++) yield Buffer.alloc(100_000, letter);
}

for (let n = 0; ; n++) {
  await blobs.put(process.argv[3] ?? '', body('abcdefghij'[n % 10] ?? ''), { maxBytes: 3_000_000 });
  process.stdout.write('.');
}
