/** Runs the lines of the README's tour unchanged, as in a fresh clone. */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const folder = temporaryFolder();
const run = promisify(execFile);
let product: Running;
let port = 0;

beforeAll(async () => {
  port = await freePort();
  product = await startLocalProduct(join(folder.path, '.errand'), port);
  symlinkSync(join(ROOT, 'assets'), join(folder.path, 'assets'));
});
afterAll(async () => {
  await product.stop();
  folder.remove();
});

/** Replaces the ports by those of this run. */
function block(kind: string): string {
  const found = readFileSync(join(ROOT, 'README.md'), 'utf8').split(`\`\`\`${kind} tour\n`);
  expect(found).toHaveLength(2);
  return (found[1]?.split('```')[0] ?? '').replaceAll(':4000', `:${port}`).replaceAll(':4001', `:${port + 1}`);
}

it('in curl ends with a completed research', async () => {
  // Without SHLVL, bash takes a socket as standard input for a remote login, and runs the machine's startup files.
  const env = { ...process.env, SHLVL: '1' };
  const { stdout, stderr } = await run('bash', ['-euo', 'pipefail', '-c', block('sh')], { cwd: folder.path, env });
  expect([stderr, stdout.trim().split('\n').at(-1)]).toEqual(['', 'completed']);
}, 60_000);

it('in the client compiles as strict TypeScript', async () => {
  const client = join(folder.path, 'strict/client/dist');
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await run(tsc, ['--project', join(ROOT, 'client/tsconfig.json'), '--outDir', client]);
  writeFileSync(join(folder.path, 'strict/tour.mts'), block('js'));
  const compilerOptions = {
    lib: ['es2024'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    types: ['node'],
    noEmit: true,
    noUnusedLocals: false,
  };
  const project = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: ['tour.mts'] };
  writeFileSync(join(folder.path, 'strict/tsconfig.json'), JSON.stringify(project));
  const checked = run(tsc, ['--project', join(folder.path, 'strict')]);
  const { stdout } = await checked.catch((error) => error);
  expect(stdout).toBe('');
}, 90_000);

it('in the client shows the one passage that answers its question, a record, and a watched research', async () => {
  // As `npm run client`, into a separate folder.
  const tsc = join(ROOT, 'node_modules/.bin/tsc');
  await run(tsc, ['--project', join(ROOT, 'client/tsconfig.json'), '--outDir', join(folder.path, 'client/dist')]);
  writeFileSync(join(folder.path, 'tour.mjs'), block('js'));
  const { stdout } = await run(process.execPath, ['tour.mjs'], { cwd: folder.path });
  expect(stdout).toMatch(/^sent 0 of 8643 bytes\n/);
  expect(stdout.match(/^> .*/gm)).toEqual([expect.stringContaining('begins on 1 March 2026')]);
  expect(stdout).toMatch(/invoice_number: '2026-00318',\s+total: 7288.8,\s+due_date: '2026-03-11'/);
  expect(stdout.trim().split('\n').at(-1)).toBe('task_completed');
}, 90_000);
