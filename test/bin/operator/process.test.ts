/** The command line as an operator starts it: exit codes, streams, and a product that runs meanwhile. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { keyAuthenticator } from '../../../shared/accounts/key-authenticator.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { child } from './errand.ts';

vi.setConfig({ testTimeout: 60_000 });

let root: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  root = temporaryFolder();
});
afterEach(() => root.remove());
const errand = (args: string[], input?: string) => child(join(root.path, 'state'), args, input);

it('adds an organization and its API keys to a running product, and revokes them', async () => {
  const product = openLocal({ ERRAND_STATE: join(root.path, 'state') });
  try {
    const authenticate = keyAuthenticator({ ...product, keptMs: 0 });
    const created = errand(['org', 'create', 'Acme', '--json']);
    expect(created).toMatchObject({ status: 0, stderr: '' });
    const { id, apiKey } = JSON.parse(created.stdout);
    expect(await authenticate(apiKey)).toMatchObject({ organization: id });
    expect(errand(['key', 'revoke', apiKey])).toMatchObject({ status: 0, stderr: '' });
    expect(await authenticate(apiKey)).toBeUndefined();
    expect(errand(['key', 'revoke', apiKey])).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^errand: The key \w+ was revoked already, at \S+\.\n$/),
    });
  } finally {
    product.close();
  }
});

it('keeps no clear text in any file of the state', () => {
  const { apiKey, password, webhookSecret } = JSON.parse(errand(['org', 'create', 'Acme', '--json']).stdout);
  errand(['user', 'password', 'admin@acme', '--password-stdin'], 'typed by a person\n');
  const folder = join(root.path, 'state');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    const text = readFileSync(join(file.parentPath, file.name), 'latin1');
    for (const secret of [apiKey.slice(19), password, webhookSecret.slice(6), 'typed by a person']) {
      expect(text, file.name).not.toContain(secret);
    }
  }
});

it('exits with code 2 for invalid arguments, and changes nothing', () => {
  for (const args of [['key'], ['key', 'shred', 'x'], ['user', 'create', 'bob']]) {
    expect(errand(args)).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining('Usage: npx errand') });
  }
  expect(readdirSync(root.path)).toEqual([]);
});

it('shows the usage of a noun', () => {
  expect(errand(['user', '--help'])).toEqual({
    status: 0,
    stdout: expect.stringContaining('user disable NAME'),
    stderr: '',
  });
});

it('refuses missing or invalid standard input', () => {
  const args = ['user', 'create', 'bob', '--org', 'Acme', '--role', 'admin', '--password-stdin'];
  expect(errand(args)).toMatchObject({ status: 1, stderr: expect.stringMatching(/^errand: There is no state in /) });
  errand(['org', 'create', 'Other']);
  expect(errand(args)).toMatchObject({ status: 1, stderr: expect.stringContaining('no organization "Acme"') });
  errand(['org', 'create', 'Acme']);
  expect(errand(args)).toMatchObject({ status: 1, stderr: expect.stringContaining('A password has ') });
});

it('needs a region and credentials of AWS to examine an account, and says so once', () => {
  const launch = (env: Record<string, string>) =>
    spawnSync(join(import.meta.dirname, '../../../bin/errand.js'), ['doctor', '--before'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: root.path, AWS_EC2_METADATA_DISABLED: 'true', ...env },
    });
  expect(launch({})).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^errand: .* no AWS region: [^\n]*\n$/),
  });
  expect(launch({ AWS_REGION: 'eu-central-1' })).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^errand: .* no AWS credentials: [^\n]*\n$/),
  });
});

it('starts from bin/errand.js on any Node that can install the product', () => {
  const launch = (...args: string[]) =>
    spawnSync(join(import.meta.dirname, '../../../bin/errand.js'), args, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ERRAND_STATE: join(root.path, 'state') },
    });
  expect(launch('org', 'create', 'Acme', '--json')).toMatchObject({ status: 0, stderr: '' });
  expect(launch('org', 'list').stdout).toContain('Acme');
  expect(launch('nothing')).toMatchObject({ status: 2, stdout: '' });
});
