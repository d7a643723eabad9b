/** The TypeScript of the guides, each guide's as one program; what it prints must be what the guide says. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { keyOf, target } from './call.ts';
import { PASSWORD, userNameOf } from './target.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENT = pathToFileURL(join(ROOT, 'client/src/index.ts')).href;
const folder = temporaryFolder();
afterAll(() => folder.remove());

const BLOCK = /```(ts client|text printed)\n([\s\S]*?)```/g;

function programIn(guide: string): { program: string; printed: string } {
  const blocks = [...readFileSync(join(ROOT, guide), 'utf8').matchAll(BLOCK)];
  const of = (kind: string) => blocks.filter(([, each]) => each === kind).map(([, , text]) => text);
  return {
    program: of('ts client').join('').replace("'@errand/client'", `'${CLIENT}'`),
    printed: of('text printed').join(''),
  };
}

it.each(['docs/api.md', 'docs/agents.md', 'client/README.md'])('of %s', { timeout: 90_000 }, async (guide) => {
  const { program, printed } = programIn(guide);
  expect(program.split('\n').length).toBeGreaterThan(20);
  const file = join(folder.path, `${guide.replaceAll('/', '-')}.mts`);
  writeFileSync(file, program);
  const env = {
    ...process.env,
    BASE: target.filesAndTasks,
    KEY: keyOf('client'),
    ROOT: target.agents,
    WS: target.agentsSocket,
    USERNAME: userNameOf('client', 'admin'),
    PASSWORD,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env, timeout: 80_000 });
  expect(stdout).toBe(printed);
});
