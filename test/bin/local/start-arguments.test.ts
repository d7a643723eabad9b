import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { parseStartArguments, sourcesIn } from '../../../bin/local/arguments.ts';
import { authority } from '../../engines/outbound/certificates.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const sources = (...words: string[]) => sourcesIn(parseStartArguments(words));

function file(name: string, text: string): string {
  writeFileSync(join(folder.path, name), text);
  return join(folder.path, name);
}

it('accepts the certificate of an authority', () => {
  const { cert } = authority('Words');
  expect(sources('--source-ca', file('ca.pem', cert))).toEqual({ allowSources: [], ca: cert });
});

it('explains what is expected if the file is missing or holds no certificate', () => {
  expect(() => sources('--source-ca', file('README.md', '# no certificate'))).toThrow(
    /README\.md holds no certificate: give a PEM file/,
  );
  expect(() => sources('--source-ca', join(folder.path, 'nothing'))).toThrow(/cannot be read: give a PEM file/);
});

it.each(['https://127.0.0.1:1/a', 'http://127.0.0.1:1', 'a'])('does not accept %s as an origin', (word) => {
  expect(() => sources('--allow-source', word)).toThrow(/is not a valid origin/);
});
