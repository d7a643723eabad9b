/** Type-checks and runs the TypeScript of the documentation: each block must print the output that follows it. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { keyOf, target } from './call.ts';
import { GUIDE_PAGES } from './guide.ts';
import { type MadeCall, uncalledRoutes } from './guide-routes.ts';
import { PASSWORD, userNameOf } from './target.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../../..');
const CLIENT = join(ROOT, 'client/src/index.ts');
const folder = temporaryFolder();
afterAll(() => folder.remove());

const BLOCK = /```ts (\w+)\n([\s\S]*?)```(?:\n```text printed\n([\s\S]*?)```)?/g;
const textOf = (page: string): string => readFileSync(join(ROOT, page), 'utf8');
const blocksIn = (pages: readonly string[]) =>
  [...pages.map(textOf).join('\n').matchAll(BLOCK)].map(([, kind = '', code = '', printed = '']) => ({
    kind,
    code,
    printed,
  }));

/** Pages that form one program share its constants, in their order. */
const PROGRAMS = {
  docs: GUIDE_PAGES.map((page) => `docs/${page}`),
  'client/README.md': ['client/README.md'],
};
const writeText = (name: string, text: string): string => {
  const file = join(folder.path, name);
  writeFileSync(file, text);
  return file;
};
const nameOf = (name: string, kind: string): string => `${name.replaceAll('/', '-')}.${kind}.mts`;

it('type-checks completely', { timeout: 60_000 }, async () => {
  const programs = Object.entries(PROGRAMS).flatMap(([name, pages]) =>
    [...Map.groupBy(blocksIn(pages), ({ kind }) => kind)].map(([kind, blocks]) =>
      writeText(nameOf(name, kind), blocks.map(({ code }) => code).join('')),
    ),
  );
  expect(programs.map((file) => basename(file))).toEqual([
    'docs.client.mts',
    'docs.run.mts',
    'docs.watch.mts',
    'client-README.md.client.mts',
  ]);
  const compilerOptions = {
    lib: ['es2024'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
    paths: { '@errand/client': [CLIENT] },
  };
  const project = { extends: join(ROOT, 'tsconfig.json'), compilerOptions, include: programs };
  const at = writeText('tsconfig.json', JSON.stringify(project));
  const { stdout } = await run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', at]).catch((error) => error);
  expect(stdout).toBe('');
});

const END_OF_BLOCK = '--- end of a block ---';
/** Records each call before it is sent. */
const RECORDER = `
import { appendFileSync } from 'node:fs';
const { fetch } = globalThis;
globalThis.fetch = (url, init) => {
  appendFileSync(process.env.CALLS, JSON.stringify({ method: init?.method ?? 'GET', url: String(url) }) + '\\n');
  return fetch(url, init);
};
`;

type RunOutput = { printed: string[]; made: MadeCall[] };

/** The output of each block, and the calls that they made. */
async function runBlocks(name: string, blocks: string[]): Promise<RunOutput> {
  const program = blocks.map((code) => `${code}console.log('${END_OF_BLOCK}');\n`).join('');
  const client = pathToFileURL(CLIENT).href;
  const file = writeText(`run-${nameOf(name, 'client')}`, program.replaceAll("'@errand/client'", `'${client}'`));
  const calls = writeText(`${nameOf(name, 'calls')}.jsonl`, '');
  const env = {
    ...process.env,
    CALLS: calls,
    BASE: target.filesAndTasks,
    KEY: keyOf('client'),
    ROOT: target.agents,
    WS: target.agentsSocket,
    USERNAME: userNameOf('client', 'admin'),
    PASSWORD,
  };
  const recorder = pathToFileURL(writeText('recorder.mjs', RECORDER)).href;
  const { stdout } = await run(process.execPath, ['--import', recorder, file], { env, timeout: 80_000 });
  const lines = readFileSync(calls, 'utf8').trim().split('\n');
  return { printed: stdout.split(`${END_OF_BLOCK}\n`), made: lines.map((line) => JSON.parse(line)) };
}

describe.each(Object.entries(PROGRAMS))('of %s', (name, pages) => {
  const blocks = blocksIn(pages).filter(({ kind }) => kind === 'client');
  const running = { timeout: 90_000 };

  it('prints the output that follows each code block, and calls every route', running, async () => {
    const { printed, made } = await runBlocks(
      name,
      blocks.map(({ code }) => code),
    );
    const documented = blocks.map(({ code, printed: told }) => ({ code, printed: told }));
    expect(blocks.map(({ code }, at) => ({ code, printed: printed[at] }))).toEqual(documented);
    if (name === 'docs') expect(uncalledRoutes(made)).toEqual([]);
  });
});
