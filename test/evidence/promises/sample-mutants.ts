/**
 * A random sample of mutants over the product, each judged by the tests that import its file and need only Node:
 * `npm run mutants:sample`. Prints those that no test notices; takes about a minute each.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readArguments } from '../../../scripts/arguments.ts';
import { type Mutant, mutantsOf } from '../../shared/tasks/mutants.ts';
import { seededRandom } from '../../support/seeded-random.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = ['shared', 'functions', 'engines', 'agents', 'adapters/local', 'bin/operator'];
const PATIENCE_MS = 300_000;
/** Files that run in threads are loaded by path, which `vitest related` does not follow: their tests are those of their caller. */
const CALLERS: readonly (readonly [folder: string, caller: string])[] = [
  ['engines/documents/', 'engines/documents/documents.ts'],
  ['engines/passwords/', 'engines/passwords/passwords.ts'],
  ['engines/outbound/webhook-worker.ts', 'engines/outbound/webhook-thread.ts'],
];

const callersOf = (file: string): string[] =>
  CALLERS.filter(([folder]) => file.startsWith(folder)).map(([, caller]) => caller);

const { values } = readArguments({
  command: 'npm run mutants:sample',
  options: {
    size: { type: 'string', default: '60', value: 'N', help: 'judges another number of mutants than 60' },
    seed: { type: 'string', default: '1', value: 'N', help: 'draws other mutants' },
  },
});
const random = seededRandom(Number(values.seed));
const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(random() * all.length)];

/** Each file is as likely as its length. */
function* sample(files: readonly string[]): Generator<Mutant> {
  const lines = files.flatMap((file) =>
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .map(() => file),
  );
  for (;;) {
    const file = pick(lines) ?? '';
    const mutant = pick(mutantsOf(file));
    if (mutant) yield mutant;
  }
}

const checkout = mkdtempSync(join(tmpdir(), 'mutants-'));
execFileSync('git', ['clone', '--quiet', ROOT, checkout]);
symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
const listed = execFileSync('git', ['ls-files', ...FOLDERS], { cwd: ROOT, encoding: 'utf8' }).split('\n');
const files = listed.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'));

let noticed = 0;
let slow = 0;
let judged = 0;
try {
  for (const { file, source, name } of sample(files)) {
    const before = readFileSync(join(checkout, file), 'utf8');
    writeFileSync(join(checkout, file), source);
    const args = [
      'vitest',
      'related',
      file,
      ...callersOf(file),
      '--run',
      '--project',
      'node',
      '--bail',
      '1',
      // Without tests for the file, the mutant counts as not noticed.
      '--passWithNoTests',
    ];
    const { status, stdout } = spawnSync('npx', args, { cwd: checkout, encoding: 'utf8', timeout: PATIENCE_MS });
    writeFileSync(join(checkout, file), before);
    judged++;
    if (status === 0) console.log(`not noticed: ${file}: ${name}`);
    else noticed++;
    // A busy machine ends tests by their time limit too, so these say less than a failed assertion.
    if (status === null || /(Test|Hook) timed out/.test(stdout)) {
      slow++;
      console.log(`noticed by a time limit: ${file}: ${name}`);
    }
    if (judged === Number(values.size)) break;
  }
} finally {
  rmSync(checkout, { recursive: true, force: true });
}
console.log(
  `${noticed} of ${judged} mutants were noticed (${Math.round((100 * noticed) / judged)} %), ${slow} of them by a time limit; seed ${values.seed}`,
);
