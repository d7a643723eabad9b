/**
 * `npm run prove:security`: attacks on the local product as it is started, and the tests of the same promises in process.
 */
import { readArguments, refuseArguments } from '../../../scripts/arguments.ts';
import { type Attacked, openAttacked } from '../security/attack-target.ts';
import type { Outcome, Part } from '../security/part.ts';
import { PARTS } from '../security/parts.ts';
import { noteProofs, type Proof } from './proof-table.ts';

const COMMAND = 'npm run prove:security';
const NIGHTLY_SIZE = 10;
const MAX_SHOWN = 20;
const AT_ONCE = 2;

const SCRIPT = {
  command: COMMAND,
  options: {
    nightly: { type: 'boolean', default: false, help: 'takes the long form' },
    short: {
      type: 'boolean',
      default: false,
      help: 'tries less, without what measures the machine or waits for minutes',
    },
    seed: { type: 'string', default: '1', value: 'N', help: 'takes another seed than 1' },
    only: { type: 'string', value: 'PART', help: 'runs one part, such as fuzz' },
    write: { type: 'boolean', default: false, help: 'notes the result in docs/evidence/proof.md' },
  },
} as const;
const { values } = readArguments(SCRIPT);

const tell = (line: string) => process.stdout.write(`${line}\n`);
const WIDTHS = [10, 62, 9, 7] as const;
const row = ([part, what, tried, broke]: [string, string, string, string]) =>
  tell(
    [part.padEnd(WIDTHS[0]), what.padEnd(WIDTHS[1]), tried.padStart(WIDTHS[2]), broke.padStart(WIDTHS[3])].join(' '),
  );
const count = (value: number): string => value.toLocaleString('en-US');

function show(name: string, { what, tried, broken, figures = [] }: Outcome): void {
  row([name, what, count(tried), count(broken.length)]);
  for (const figure of figures) tell(`           ${figure}`);
  for (const one of broken.slice(0, MAX_SHOWN)) tell(`           ${one}`);
}

const parts = PARTS.filter(({ name, isAlone, isLong }) =>
  values.only === undefined ? !(values.short && (isAlone || isLong)) : values.only === name,
);
if (parts.length === 0)
  refuseArguments(SCRIPT, `There is no part '${values.only}'; there are ${PARTS.map(({ name }) => name).join(', ')}.`);
const given = {
  seed: Number(values.seed),
  size: values.nightly ? NIGHTLY_SIZE : 1,
  isShort: values.short,
};
const proofs = new Map<string, Proof>();
row(['part', 'what', 'tried', 'broke']);
/** In sequence, as two parts that look for free ports concurrently may find the same. */
let opened: Promise<unknown> = Promise.resolve();
function open(): Promise<Attacked> {
  const next = opened.then(() => openAttacked());
  opened = next.catch(() => undefined);
  return next;
}

async function attack({ name, promise, run }: Part): Promise<void> {
  const from = Date.now();
  const on = await open();
  const stopped = (error: unknown): Outcome[] => [{ what: name, tried: 0, broken: [String((error as Error).stack)] }];
  const outcomes = await run({ on, ...given })
    .catch(stopped)
    .finally(() => on.close());
  for (const outcome of outcomes) show(name, outcome);
  const broken = outcomes.flatMap((outcome) => outcome.broken).length;
  const tried = outcomes.reduce((sum, outcome) => sum + outcome.tried, 0);
  const measured = outcomes.flatMap(({ what, figures = [] }) =>
    figures.length > 0 ? `${what}: ${figures.join(', ')}` : [],
  );
  const seconds = Math.round((Date.now() - from) / 1_000);
  const words = values.nightly ? ' -- --nightly' : '';
  proofs.set(promise, {
    promise,
    command: COMMAND + words,
    figure: [`${broken} broken of ${count(tried)}, seed ${given.seed}`, ...measured, `${seconds} s`].join('; '),
  });
  if (broken === 0) return;
  process.exitCode = 1;
  tell(`Once more: ${COMMAND} -- --only ${name} --seed ${given.seed}${values.nightly ? ' --nightly' : ''}`);
}

/** Each part has a product of its own, and mostly waits for its answers. */
const waiting = parts.filter(({ isAlone }) => !isAlone).values();
const attackOn = async () => {
  for (const part of waiting) await attack(part);
};
await Promise.all(Array.from({ length: AT_ONCE }, attackOn));
for (const part of parts.filter(({ isAlone }) => isAlone)) await attack(part);

if (values.write && !values.short && process.exitCode === undefined) {
  const inOrder = parts.flatMap(({ promise }) => proofs.get(promise) ?? []);
  noteProofs(inOrder, new Date().toISOString().slice(0, 10));
}
