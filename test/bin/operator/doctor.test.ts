import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLocal } from '../../../adapters/local/context.ts';
import { CHILD_ENVIRONMENT } from '../../support/child-environment.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'errand-operator-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function errand(args: string[], env: Record<string, string> = {}) {
  const script = join(import.meta.dirname, '../../../bin/errand.ts');
  return spawnSync(process.execPath, [script, ...args], {
    encoding: 'utf8',
    cwd: root,
    env: { ...CHILD_ENVIRONMENT, ERRAND_STATE: join(root, 'state'), ...env },
  });
}

function refuses(remedy: RegExp, env: Record<string, string> = {}) {
  const { status, stdout, stderr } = errand(['doctor'], env);
  expect(stderr).toMatch(/^errand: [^\n]+\n$/);
  expect(stderr).toMatch(remedy);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
}

const createOrganization = () => errand(['org', 'create', 'Acme', '--json']);

it('reports no problem for a state that only its owner can read', () => {
  expect(createOrganization()).toMatchObject({ status: 0, stderr: '' });
  expect(statSync(join(root, 'state')).mode & 0o077).toBe(0);
  const first = errand(['doctor', '--json']);
  expect(first).toMatchObject({ status: 0, stderr: '' });
  expect(JSON.parse(first.stdout)).toMatchObject({ state: join(root, 'state'), rows: expect.any(Number) });
  const second = errand(['doctor']);
  expect(second.stdout).toMatch(/^ {2}state +\S+\n {2}bytes +\d+\n/);
});

it('counts the bytes of the write-ahead log', () => {
  createOrganization();
  const writer = openLocal({ ERRAND_STATE: join(root, 'state') });
  const log = statSync(join(root, 'state/state.db-wal')).size;
  const { bytes } = JSON.parse(errand(['doctor', '--json']).stdout);
  expect(bytes).toBe(statSync(join(root, 'state/state.db')).size + log);
  writer.close();
});

it('reports a missing master secret, and creates none', () => {
  createOrganization();
  const file = join(root, 'state/master.json');
  rmSync(file);
  refuses(/master\.json does not exist: restore it/);
  expect(existsSync(file)).toBe(false);
});

it.each([['doctor'], ['org', 'list']])('reports in one line that %s %s is damaged', (...args) => {
  createOrganization();
  const file = join(root, 'state/state.db');
  const bytes = readFileSync(file);
  writeFileSync(file, Buffer.concat([bytes.subarray(0, 4_096), randomBytes(bytes.length - 4_096)]));
  const { status, stderr } = errand(args.filter(Boolean));
  expect([status, stderr]).toEqual([1, expect.stringMatching(/^errand: [^\n]*(damaged)[^\n]*backup\.\n$/)]);
});

it.each([[['doctor']], [['org', 'list']], [['audit']], [['user', 'list', 'Acme']]])(
  'creates no state for %j where none exists',
  (args) => {
    const none = `errand: There is no state in ${join(root, 'state')}: start the product once, or set ERRAND_STATE.\n`;
    expect(errand(args)).toMatchObject({ status: 1, stdout: '', stderr: none });
    expect(readdirSync(root)).toEqual([]);
    mkdirSync(join(root, 'state'));
    expect(errand(args)).toMatchObject({ status: 1, stdout: '', stderr: none });
    expect(readdirSync(join(root, 'state'))).toEqual([]);
  },
);

it('names the remedy when the folder cannot be made', () => {
  writeFileSync(join(root, 'file'), 'mine');
  refuses(/cannot be used as the state folder \(ENOTDIR\): set ERRAND_STATE/, {
    ERRAND_STATE: join(root, 'file/state'),
  });
  refuses(/cannot be used as the state folder \(EEXIST\): set ERRAND_STATE/, { ERRAND_STATE: join(root, 'file') });
  expect(readFileSync(join(root, 'file'), 'utf8')).toBe('mine');
});

it('names the remedy when the folder belongs to another user', () => {
  mkdirSync(join(root, 'state'), { mode: 0o500 });
  const module = pathToFileURL(join(import.meta.dirname, '../../../adapters/local/state-folder.ts')).href;
  // Root may write everywhere, so the check runs as another user.
  const look = `
    import { stateFolder } from '${module}';
    if (process.getuid() === 0) process.seteuid(65534);
    try { stateFolder('state') } catch (error) { console.log(error.code, error.message) }`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', look], { encoding: 'utf8', cwd: root });
  expect(stdout).toMatch(/^badSetting \S+ cannot be used as the state folder \(EACCES\): set ERRAND_STATE/);
});

it('does not change a folder that holds other files', () => {
  mkdirSync(join(root, 'state'));
  writeFileSync(join(root, 'state/thesis.txt'), 'mine');
  refuses(/holds files that are not Errand's: set ERRAND_STATE/);
  expect(readdirSync(join(root, 'state'))).toEqual(['thesis.txt']);
});

it.each([
  ['of a newer version', 'PRAGMA user_version = 99', /newer Errand \(state 99, this one knows 2\): start that version/],
  ['of an unknown version', 'PRAGMA user_version = 1', /not an Errand state file: set ERRAND_STATE/],
  ['of another program', 'PRAGMA application_id = 7; CREATE TABLE a (b)', /not an Errand state file: set ERRAND_STATE/],
])('leaves a state file %s as it was', (_what, change, remedy) => {
  createOrganization();
  const file = join(root, 'state/state.db');
  const db = new DatabaseSync(file);
  db.exec(change);
  db.close();
  const before = readFileSync(file);
  refuses(remedy);
  expect(readFileSync(file).equals(before)).toBe(true);
});

it('does not change a file that is not a database', () => {
  mkdirSync(join(root, 'state'));
  writeFileSync(join(root, 'state/state.db'), 'my shopping list');
  refuses(/not an Errand state file: set ERRAND_STATE/);
  expect(readFileSync(join(root, 'state/state.db'), 'utf8')).toBe('my shopping list');
});

it('names a malformed setting and changes nothing', () => {
  refuses(/ERRAND_PORT is "http": give a whole number/, { ERRAND_PORT: 'http' });
  expect(readdirSync(root)).toEqual([]);
});

it('names the remedy for a damaged master secret', () => {
  createOrganization();
  writeFileSync(join(root, 'state/master.json'), '{', { mode: 0o600 });
  refuses(/master\.json/);
});

it.each([[[]], [['docter']], [['doctor', 'now']], [['doctor', '--jsn']]])(
  'answers %j with the usage and exit code 2',
  (args) => {
    const { status, stdout, stderr } = errand(args);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain('Usage: npx errand');
  },
);

it('shows the usage when asked', () => {
  expect(errand(['--help'])).toMatchObject({ status: 0, stdout: expect.stringContaining('doctor') });
});
