/** A release: its tag agrees with the versions, its notes come from CHANGELOG.md, its files can be used. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { checkTag, notesOf } from '../scripts/release.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const CHANGELOG =
  '# Changelog\n\n## Unreleased\n\n- Later\n\n## 1.10.0 - 2026-02-01\n\n- New\n\n## 1.1.0 - 2026-01-01\n\n- Old\n';

it('takes the notes of exactly the version', () => {
  expect(notesOf('1.10.0', CHANGELOG)).toBe('- New');
  expect(notesOf('1.1.0', CHANGELOG)).toBe('- Old');
  expect(() => notesOf('1.2.0', CHANGELOG)).toThrow('CHANGELOG.md has no section "1.2.0 - DATE"');
});

it('rejects a tag that differs from a version', () => {
  expect(checkTag('v1.2.3', { 'package.json': '1.2.3' })).toBe('1.2.3');
  expect(() => checkTag('v1.2.4', { 'package.json': '1.2.4', 'client/package.json': '1.2.3' })).toThrow(
    'The tag is v1.2.4, but client/package.json has version 1.2.3',
  );
});

it('packs the client and the contracts', () => {
  const { version } = packageJson;
  const script = join(import.meta.dirname, '../scripts/release.ts');
  const into = join(folder.path, 'release');
  execFileSync(process.execPath, [script, `v${version}`, into], { cwd: folder.path, stdio: 'pipe' });
  expect(readdirSync(into).toSorted()).toEqual([`errand-client-${version}.tgz`, `errand-contracts-${version}.zip`]);
  const contracts = unzipSync(readFileSync(join(into, `errand-contracts-${version}.zip`)));
  expect(Object.keys(contracts)).toContain('agents.openapi.json');
  expect(readFileSync(join(folder.path, 'release-notes.md'), 'utf8')).toContain('### ');
}, 60_000);
