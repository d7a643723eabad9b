/**
 * `npm run bench`: runs benchmarks and prints ratios that are measured side by side in one run, because machines differ. A run
 * of all of them writes docs/evidence/benchmarks.md.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { readArguments, refuseArguments } from '../../../scripts/arguments.ts';
import { markdownTable } from '../promises/markdown-table.ts';
import { benchmarkNames, loadBenchmark } from './benchmarks.ts';
import { BENCHMARKS, sectionsIn } from './benchmarks-document.ts';
import { type Comparison, isReached, type Wanted } from './side-by-side.ts';

const figure = (value: number): string => Math.round(value).toLocaleString('en-US');

const shown = (wanted: Wanted): string => ('atLeast' in wanted ? `≥ ${wanted.atLeast}` : `≤ ${wanted.atMost}`);

const HEAD = ['What', 'Unit', 'Errand', 'Reference', 'Ratio', 'Wanted', ''];

function tableOf(found: Comparison[]): string {
  const rows = found.map((c) => [
    c.what,
    c.unit,
    figure(c.ours),
    figure(c.reference),
    c.ratio.toFixed(2),
    shown(c.wanted),
    isReached(c) ? 'reached' : 'missed',
  ]);
  return markdownTable(HEAD, rows);
}

const names = benchmarkNames();
const SCRIPT = {
  command: 'npm run bench',
  positionals: { usage: '[NAME ...]', count: [0, names.length] },
  options: { write: { type: 'boolean', help: 'writes the sections of these benchmarks into the document' } },
} as const;
const { positionals, values } = readArguments(SCRIPT);
const unknown = positionals.find((name) => !names.includes(name));
if (unknown !== undefined)
  refuseArguments(SCRIPT, `There is no benchmark '${unknown}'; there are ${names.join(', ')}.`);
const chosen = positionals.length === 0 ? names : positionals;
/** Sections of benchmarks that do not run now are kept. */
const sections = sectionsIn(readFileSync(BENCHMARKS, 'utf8'));
let missed = 0;
let left = 0;
for (const name of chosen) {
  const bench = await loadBenchmark(name);
  const lacking = bench.missing?.();
  if (lacking !== undefined) {
    console.error(`${bench.title} ${lacking}`);
    left++;
    continue;
  }
  console.log(`${bench.title} ...`);
  const found = await bench.run();
  missed += found.filter((c) => !isReached(c)).length;
  console.log(tableOf(found));
  sections.set(bench.title, `${bench.about}\n\n${tableOf(found)}`);
}

if ((positionals.length === 0 || values.write) && left === 0) {
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}, ${process.platform}`;
  const intro = `The two sides of a row ran alternately in one run; the ratio is the median of the rounds' ratios. Made by \`npm run bench\` on ${machine}.`;
  const parts = [...sections].map(([title, text]) => `## ${title}\n\n${text}`);
  writeFileSync(BENCHMARKS, `# Benchmarks\n\n${intro}\n\n${parts.join('\n\n')}\n`);
  console.log(`written to ${BENCHMARKS}`);
}
process.exitCode = missed + left > 0 ? 1 : 0;
