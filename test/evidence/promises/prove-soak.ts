/**
 * `npm run prove:soak`: half an hour of mixed load on the local product, and whether it stays as it began.
 */
import { writeFileSync } from 'node:fs';
import { readArguments, refuseArguments } from '../../../scripts/arguments.ts';
import { writeSection } from '../bench/benchmarks-document.ts';
import { plots } from '../soak/plots.ts';
import { type Soaked, soak } from '../soak/soak.ts';
import { type Figure, isFlat, verdict, warmUpSeconds } from '../soak/verdict.ts';
import { markdownTable } from './markdown-table.ts';
import { noteProofs, today } from './proof-table.ts';

const COMMAND = 'npm run prove:soak';
const HALF_AN_HOUR = 1_800;
const LEAST_SECONDS = 10;
const SAMPLES = 360;
const MAX_SHOWN = 20;

const SCRIPT = {
  command: COMMAND,
  options: {
    seconds: { type: 'string', default: `${HALF_AN_HOUR}`, value: 'N', help: 'takes another time than half an hour' },
    write: { type: 'boolean', default: false, help: 'writes the result and its plots into the documents' },
  },
} as const;
const { values } = readArguments(SCRIPT);
const seconds = Number(values.seconds);
if (!(seconds >= LEAST_SECONDS)) refuseArguments(SCRIPT, `--seconds is ${LEAST_SECONDS} at least.`);
const tell = (line: string) => process.stdout.write(`${line}\n`);
const count = (value: number): string => value.toLocaleString('en-US');

const HEAD = ['What', 'Unit', 'First third', 'Last third', 'Ratio', 'Wanted', ''];
const tableOf = (figures: readonly Figure[]): string =>
  markdownTable(
    HEAD,
    figures.map((figure) => [
      figure.what,
      figure.unit,
      figure.early.toFixed(1),
      figure.late.toFixed(1),
      figure.ratio.toFixed(2),
      `≤ ${figure.most}`,
      isFlat(figure) ? 'flat' : 'drifts',
    ]),
  );

function soakText({ seconds: length, meter, ledger, refused, left }: Soaked): string {
  const { tasks, webhooks, repeated } = ledger.sums();
  return (
    `${Math.round(length / 60)} minutes, ${count(meter.count())} calls, ${count(tasks)} tasks acknowledged, each ended once; ` +
    `${count(webhooks)} webhooks, all verified, ${repeated} repeated, ${count(refused)} accepted at the second attempt; ` +
    `${left} planned actions had no free slot`
  );
}

function sectionOf(soaked: Soaked, figures: readonly Figure[]): string {
  return [
    'Four organizations submit, poll, upload, import, watch, cancel, page through lists and run agents, each at its own pace, with receivers that accept webhooks, reject them at first or do not exist. Their tasks ask a scripted model on the same machine. ' +
      `${soakText(soaked)}. The first ${warmUpSeconds(soaked.seconds)} s are warm-up and not evaluated. Latency ratios are corrected by the drift of a bare server beside the product, because others use the machine too. Made by \`${COMMAND}\`.`,
    tableOf(figures),
    ...['memory', 'latency', 'throughput'].map(
      (name) => `![${name} over the time of the load](../images/soak-${name}.svg)`,
    ),
  ].join('\n\n');
}

function write(soaked: Soaked, figures: readonly Figure[]): void {
  for (const [name, svg] of Object.entries(plots(soaked))) writeFileSync(`docs/images/soak-${name}.svg`, svg);
  writeSection('Load over half an hour', sectionOf(soaked, figures));
  const [memory, ...latencies] = figures;
  const worst = Math.max(...latencies.map(({ ratio }) => ratio));
  const figure = `${soakText(soaked)}; memory ${memory?.early.toFixed(0)} to ${memory?.late.toFixed(0)} MB, latency late over early ${worst.toFixed(2)} at most`;
  const promise = 'Memory and latency stay flat under mixed load, and nothing is lost';
  noteProofs([{ promise, command: COMMAND, figure }], today());
}

const soaked = await soak({ seconds, sampleMs: (seconds * 1_000) / SAMPLES, tell });
const figures = verdict(soaked);
const { broken } = soaked.ledger;
tell(`${soakText(soaked)}\n\n${tableOf(figures)}`);
for (const line of broken.slice(0, MAX_SHOWN)) tell(`broken: ${line}`);
if (broken.length > 0 || !figures.every(isFlat)) process.exitCode = 1;
else if (values.write) write(soaked, figures);
