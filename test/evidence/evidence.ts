/**
 * `npm run evidence`: all that is measured rather than asserted, one part after the other. A part that fails or cannot
 * start ends nothing but itself; at the end the run names it and fails.
 */
import { spawnSync } from 'node:child_process';
import { readArguments, refuseArguments } from '../../scripts/arguments.ts';
import { markdownTable } from './promises/markdown-table.ts';

/** `scripts`: of package.json, in this order. `folder`: the option with what the part measures, without which it is left out. */
type Part = { scripts: readonly string[]; folder?: 'pdfs' | 'sets'; takesWrite?: true };

const PARTS = {
  kill: { scripts: ['test:kill'] },
  faults: { scripts: ['prove:faults'], takesWrite: true },
  mutants: { scripts: ['prove:mutants'] },
  repeated: { scripts: ['prove:repeated'] },
  security: { scripts: ['prove:security'], takesWrite: true },
  records: { scripts: ['prove:records'], takesWrite: true },
  processes: { scripts: ['prove:processes'], takesWrite: true },
  research: { scripts: ['prove:research'] },
  capacity: { scripts: ['prove:capacity'], takesWrite: true },
  soak: { scripts: ['prove:soak'], takesWrite: true },
  bench: { scripts: ['bench'], takesWrite: true },
  pages: { scripts: ['prove:pages'] },
  growth: { scripts: ['bench:growth'], takesWrite: true },
  peers: { scripts: ['bench:peers'], takesWrite: true },
  costs: { scripts: ['rehearse', 'costs'] },
  pdf: { scripts: ['pdf-ratio'], folder: 'pdfs' },
  quality: { scripts: ['quality'], folder: 'sets', takesWrite: true },
} as const satisfies Record<string, Part>;
type Name = keyof typeof PARTS;

const NAMES = Object.keys(PARTS) as Name[];
const SCRIPT = {
  command: 'npm run evidence',
  positionals: { usage: `[PART ...] (${NAMES.join(', ')})`, count: [0, NAMES.length] },
  options: {
    pdfs: { type: 'string', value: 'DIR', help: 'the PDFs that the part pdf reads' },
    sets: { type: 'string', value: 'DIR', help: 'the labelled documents that the part quality reads' },
    write: { type: 'boolean', default: false, help: 'writes the figures into the documents' },
  },
} as const;
const { positionals, values } = readArguments(SCRIPT);

const isName = (name: string): name is Name => NAMES.some((one) => one === name);
const unknown = positionals.find((name) => !isName(name));
if (unknown !== undefined) refuseArguments(SCRIPT, `There is no part '${unknown}'; there are ${NAMES.join(', ')}.`);
const chosen = positionals.length === 0 ? NAMES : positionals.filter(isName);

const lackedFolder = ({ folder }: Part) => (folder !== undefined && values[folder] === undefined ? folder : undefined);
for (const name of positionals.filter(isName)) {
  const lacked = lackedFolder(PARTS[name]);
  if (lacked !== undefined) refuseArguments(SCRIPT, `The part ${name} needs --${lacked} DIR.`);
}

function argumentsOf({ folder, takesWrite }: Part): string[] {
  const directory = folder === undefined ? '' : (values[folder] ?? '');
  const documents = folder === 'sets' ? ['--sets', directory] : folder === 'pdfs' ? [directory] : [];
  return [...documents, ...(values.write && takesWrite ? ['--write'] : [])];
}

const env = { ...process.env, ...(values.write && { PROOF_WRITE: '1' }) };

/** Undefined if it went well. */
function faultOf(script: string, args: readonly string[]): string | undefined {
  const stdio = ['ignore', 'inherit', 'inherit'] as const;
  const { error, signal, status } = spawnSync('npm', ['run', script, '--', ...args], { env, stdio: [...stdio] });
  if (error) return `${script} could not start: ${error.message}`;
  if (signal) return `${script} was ended by ${signal}`;
  return status === 0 ? undefined : `${script} failed with ${status}`;
}

const rows: string[][] = [];
const failed: Name[] = [];
for (const name of chosen) {
  const part: Part = PARTS[name];
  const lacked = lackedFolder(part);
  if (lacked !== undefined) {
    rows.push([name, '', `left out, as it needs --${lacked} DIR`]);
    continue;
  }
  console.log(`\n==> ${name}`);
  const begun = Date.now();
  let fault: string | undefined;
  for (const script of part.scripts) fault ??= faultOf(script, argumentsOf(part));
  if (fault !== undefined) failed.push(name);
  rows.push([name, String(Math.round((Date.now() - begun) / 1_000)), fault ?? 'went well']);
}
console.log(`\n${markdownTable(['Part', 'Seconds', 'Outcome'], rows)}`);
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
