/** The operator's command line on a test's state folder: in this process, or in its own. */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { commandLine } from '../../../bin/operator/command-line.ts';
import { localState } from '../../../bin/operator/local-state.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { CHILD_ENVIRONMENT } from '../../support/child-environment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const SCRIPT = join(import.meta.dirname, '../../../bin/errand.ts');

export type Run = { status: number | null; stdout: string; stderr: string };
type Founded = Record<'id' | 'name' | 'apiKey' | 'username' | 'password' | 'webhookSecret', string> & {
  models: string[];
};

/** In its own process, with real password hashing and real standard input. */
export function child(state: string, args: string[], input = '', more: Record<string, string> = {}): Run {
  const env = { ...CHILD_ENVIRONMENT, ERRAND_STATE: state, ...more };
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8', input, env });
  return { status, stdout, stderr };
}

async function within(state: string, args: string[], input = ''): Promise<Run> {
  const said = { stdout: '', stderr: '' };
  const status = await commandLine(args, {
    open: async (_options, verb) => localState({ ERRAND_STATE: state }, verb),
    examineAccount: () => Promise.reject(new Error('The account was examined.')),
    passwords: passwords({ logCost: 10 }),
    readStdin: async () => input,
    untilStopped: async () => undefined,
    out: (text) => {
      said.stdout += `${text}\n`;
    },
    err: (text) => {
      said.stderr += `${typeof text === 'string' ? text : inspect(text)}\n`;
    },
  });
  return { status, ...said };
}

/** Every test begins with one organization, Acme, on a state of its own. */
export function withAcme() {
  const root = temporaryFolder();
  const made = join(root.path, 'made');
  const state = () => join(root.path, `test-${number}`);
  let acme: Founded;
  let number = 0;
  beforeAll(async () => {
    acme = JSON.parse((await within(made, ['org', 'create', 'Acme', '--json'])).stdout);
  });
  beforeEach(() => {
    number++;
    cpSync(made, state(), { recursive: true });
  });
  afterAll(() => root.remove());
  const run = (args: string[], input?: string) => within(state(), args, input);
  return {
    acme: () => acme,
    state,
    run,
    /** The output with --json; nothing else may be printed. */
    async json(args: string[], input?: string) {
      const done = await run([...args, '--json'], input);
      expect(done).toMatchObject({ status: 0, stderr: '' });
      return JSON.parse(done.stdout);
    },
    /** One line on standard error, nothing on standard output. */
    async refuses(args: string[], remedy: RegExp, input?: string) {
      const done = await run(args, input);
      expect(done.stderr).toMatch(/^errand: [^\n]+\n$/);
      expect(done.stderr).toMatch(remedy);
      expect(done).toMatchObject({ status: 1, stdout: '' });
    },
  };
}
