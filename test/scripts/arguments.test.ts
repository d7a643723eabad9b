import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter, dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { parseArguments, UsageError, usageOf } from '../../scripts/arguments.ts';
import { endWithParent } from '../support/end-with-parent.ts';

/** Scripts of binaries, such as vitest and tsc, are not ours. */
const RUNS_A_FILE = /\bnode (--\S+ )*\S+\.[jt]s\b/;
const AT_ONCE = 3;
/** Long enough for a machine that is busy with other tests. */
const PATIENCE_MS = 60_000;

const scripts = Object.entries(packageJson.scripts).filter(([, command]) => RUNS_A_FILE.test(command));
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  NODE_COMPILE_CACHE: '.cache/compiled',
};

/** As npm runs it: a shell gets the command with the arguments behind it. Ends with all that it started. */
async function end(command: string) {
  const shell = spawn(command, {
    shell: true,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env,
  });
  endWithParent(shell);
  const output = Promise.all([text(shell.stdout), text(shell.stderr)]);
  const killGroup = () => process.kill(-(shell.pid ?? Number.NaN), 'SIGKILL');
  const patience = setTimeout(killGroup, PATIENCE_MS);
  const [code] = await once(shell, 'exit');
  clearTimeout(patience);
  const [stdout, stderr] = await output;
  return { code, stdout, stderr };
}

it('every script that runs a file refuses an unknown argument with its usage, before it does anything', async () => {
  expect(scripts.length).toBeGreaterThan(25);
  const faults: object[] = [];
  const waiting = scripts.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [name, command] of waiting) {
        const { code, stdout, stderr } = await end(`${command} --no-such-option`);
        const [first = '', , usage = ''] = stderr.split('\n');
        const isRefused =
          code === 2 && stdout === '' && first.includes('--no-such-option') && /^Usage: np[mx] /.test(usage);
        if (!isRefused) faults.push({ name, code, stdout, stderr });
      }
    }),
  );
  expect(faults).toEqual([]);
}, 180_000);

const script = {
  command: 'npm run measure',
  positionals: { usage: 'FOLDER [FILE]', count: [1, 2] },
  options: {
    short: { type: 'boolean', help: 'repeats less' },
    set: { type: 'string', multiple: true, value: 'NAME', help: 'measures these sets alone' },
  },
} as const;

it.each([
  [['a', '--shorter'], "Unknown option '--shorter'."],
  [['a', '--set'], "Option '--set <value>' argument missing."],
  [['a', '--set', '--short'], "Option '--set' argument is ambiguous."],
  [['a', '--short=yes'], "Option '--short' does not take an argument."],
  [['a', 'b', 'c'], "Unexpected argument 'c'."],
  [[], 'Missing argument: FOLDER [FILE].'],
])('says in one line what is wrong with %j', (args, message) => {
  expect(() => parseArguments(script, args)).toThrow(new UsageError(message));
});

it('takes what follows -- as it is', () => {
  const { values, positionals } = parseArguments(script, ['a', '--short', '--', '--bail']);
  expect({ ...values, positionals }).toEqual({ short: true, positionals: ['a', '--bail'] });
});

it('prints each option with its value and what it does', () => {
  expect(usageOf(script)).toBe(
    [
      'Usage: npm run measure -- FOLDER [FILE] [--short] [--set NAME ...]',
      '',
      '  --short     repeats less',
      '  --set NAME  measures these sets alone',
    ].join('\n'),
  );
});
