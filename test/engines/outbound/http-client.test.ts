/** What the server and the outbound requests load of Node. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = pathToFileURL(join(import.meta.dirname, '../../../'));
const LOADED = `process.stdout.write(process.moduleLoadList.filter((name) => name.endsWith('/undici')).join())`;

it.each(['adapters/local/server.ts', 'engines/outbound/request.ts'])('loads no second HTTP client with %s', (file) => {
  const program = `await import('${new URL(file, ROOT)}'); ${LOADED}`;
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', program]).toString()).toBe('');
});
