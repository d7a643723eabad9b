/**
 * `npm run prove:records`: records in a caller's schema over generated documents, with models that are honest, lie or are broken,
 * and second looks that are honest, refuse everything or agree with everything.
 */

import { writeFile } from '../../../agents/processing/write-results.ts';
import { readArguments } from '../../../scripts/arguments.ts';
import type { ProcessingResults } from '../../../shared/agents/results/processing.ts';
import { BROKEN, faultOf } from '../records/broken-models.ts';
import { INJECTED, isDemandedOf, obedient, targetsIn, withOrder } from '../records/injection.ts';
import { openJudges, plantErrors } from '../records/judges.ts';
import { overHttp } from '../records/over-http.ts';
import { chanceOf, type Pair, pairOf } from '../records/pairs.ts';
import { honest, liar, WAYS } from '../records/proposals.ts';
import {
  agreeing,
  type Compared,
  compareRecord,
  honestLook,
  type Look,
  openRuns,
  proposing,
  refusing,
  truthOf,
} from '../records/run-pair.ts';
import { noteProofs, today } from './proof-table.ts';

const COMMAND = 'npm run prove:records';
const LEAST_RIGHT = 0.99;
const SHORT = 240;
const LONG = 10_000;
const PLANTED = 100;
const WRITTEN = 80;
const THROUGH_HTTP = 100;
const THROUGH_HTTP_SHORT = 12;
const FORMATS = ['xlsx', 'csv', 'jsonl', 'json'] as const;
const MAX_SHOWN = 20;

const { values } = readArguments({
  command: COMMAND,
  options: {
    short: { type: 'boolean', default: false, help: `takes ${SHORT} pairs instead of ${LONG}` },
    pairs: { type: 'string', value: 'N', help: 'takes this number of pairs' },
    seed: { type: 'string', default: '1', value: 'N', help: 'takes another first seed than 1' },
    write: { type: 'boolean', default: false, help: 'notes the result in docs/evidence/proof.md' },
  },
});
const count = Number(values.pairs ?? (values.short ? SHORT : LONG));
const pairs = Array.from({ length: count }, (_, at) => at + Number(values.seed));

const tell = (line: string) => process.stdout.write(`${line}\n`);
const numberText = (value: number): string => value.toLocaleString('en-US');
const share = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;

function fail(title: string, examples: readonly string[]): void {
  process.exitCode = 1;
  tell(`${title}: ${examples.length}`);
  for (const one of examples.slice(0, MAX_SHOWN)) tell(`  ${one}`);
}

/** Content that only a model can read: sentences, and rows outside tables. */
const unlabelledPaths = (pair: Pair): Set<string> =>
  new Set([
    ...pair.facts.filter(({ isSentence }) => isSentence).map(({ name }) => name),
    ...(pair.hasTable ? [] : rowPaths(pair)),
  ]);

const isOfRow = (path: string): boolean => path.startsWith('lines.');

const rowPaths = (pair: Pair): string[] => [...truthOf(pair).keys()].filter(isOfRow);

const begun = Date.now();
const runs = openRuns();

const nothing = (): Compared => ({
  ...{ standing: 0, right: 0, wrong: [], proven: 0, falsePaths: [] },
  ...{ delivered: 0, wronglyDelivered: [], judged: [] },
});

function add(sums: Compared, one: Compared): void {
  for (const name of ['standing', 'right', 'proven', 'delivered'] as const) sums[name] += one[name];
  for (const name of ['wrong', 'falsePaths', 'wronglyDelivered', 'judged'] as const) sums[name].push(...one[name]);
}

async function over(run: (pair: Pair) => Promise<Compared>): Promise<Compared> {
  const sums = nothing();
  for (const seed of pairs) add(sums, await run(pairOf(seed)));
  return sums;
}

function judge(name: string, { standing, right, proven, wrong, falsePaths, wronglyDelivered }: Compared): string {
  const figure = `${name}: ${share(right, standing)} of ${numberText(standing)} fields right, ${falsePaths.length} false of ${numberText(proven)} proven, ${wronglyDelivered.length} delivered wrongly`;
  tell(figure);
  if (right < LEAST_RIGHT * standing) fail(`${name}, not right`, wrong);
  failIfAny(`${name}, false and proven`, falsePaths);
  failIfAny(`${name}, delivered wrongly`, wronglyDelivered);
  return figure;
}

function failIfAny(title: string, examples: readonly string[]): void {
  if (examples.length > 0) fail(title, examples);
}

const figures: string[] = [];
const honestRuns: { pair: Pair; results: unknown }[] = [];
figures.push(
  judge(
    'honest',
    await over(async (pair) => {
      const ran = await runs.run(
        pair,
        proposing((lines) => honest({ pair, lines }), honestLook(pair)),
      );
      honestRuns.push({ pair, results: ran.results });
      return compareRecord(pair, ran);
    }),
  ),
);

/** An independent program reads the documents with other libraries, and must find every error and nothing else. */
const judges = await openJudges();
const alarms = await judges.records(honestRuns.map(({ pair, results }) => judges.caseOf(pair, results)));
if (alarms.length > 0)
  fail(
    'judge, honest',
    alarms.map((one) => JSON.stringify(one)),
  );
const { count: errors, unseen } = await plantErrors(judges, honestRuns, PLANTED);
if (errors < PLANTED) fail(`judge, only ${errors} planted`, []);
if (unseen.length > 0) fail('judge, not found', unseen);
figures.push(
  `a judge with other readers finds ${errors - unseen.length} of ${errors} planted errors, and ${alarms.length} in ${numberText(honestRuns.length)} honest results`,
);
tell(figures.at(-1) ?? '');

/** Result files, read by openpyxl and other libraries than the product's. */
const written = honestRuns.slice(0, WRITTEN).map(({ pair, results }, at) => {
  const format = FORMATS[at % FORMATS.length] ?? 'xlsx';
  const { bytes } = writeFile(results as ProcessingResults, format);
  return { case: `pair ${pair.seed}`, file: judges.keep(`results-${pair.seed}.${format}`, bytes), results };
});
const received = await overHttp(pairs.slice(0, values.short ? THROUGH_HTTP_SHORT : THROUGH_HTTP).map(pairOf), FORMATS);
const ofHttp = received.map(({ pair, results, file: { format, bytes } }) => ({
  case: `pair ${pair.seed} over HTTP`,
  file: judges.keep(`http-${pair.seed}.${format}`, bytes),
  results,
}));
const badFiles = await judges.outputs([...written, ...ofHttp]);
if (badFiles.length > 0)
  fail(
    'files of results',
    badFiles.map((one) => JSON.stringify(one)),
  );
const httpAlarms = await judges.records(received.map(({ pair, results }) => judges.caseOf(pair, results)));
if (httpAlarms.length > 0)
  fail(
    'judge, over HTTP',
    httpAlarms.map((one) => JSON.stringify(one)),
  );
const http = nothing();
for (const { pair, results } of received)
  add(http, compareRecord(pair, { record: results.records[0] }, unlabelledPaths(pair)));
figures.push(judge(`${received.length} pairs over HTTP without a model, labels and tables`, http));
figures.push(
  `${badFiles.length} faults in ${written.length + ofHttp.length} files of results (${FORMATS.join(', ')}) read by openpyxl and Python`,
);
tell(figures.at(-1) ?? '');

/** Lies by kind. Each pair gets the rarest kind so far that fits it, and is looked at in each of three ways. */
const lied = new Map(WAYS.map((way) => [way, 0]));
const LOOKS: Readonly<Record<string, (pair: Pair) => Look>> = {
  'honest second look': honestLook,
  'second look that refuses everything': () => refusing,
  'second look that agrees with everything': () => agreeing,
};
const liarSums = new Map(Object.keys(LOOKS).map((name) => [name, nothing()]));
for (const seed of pairs) {
  const pair = pairOf(seed);
  const rarest = WAYS.toSorted((a, b) => (lied.get(a) ?? 0) - (lied.get(b) ?? 0));
  let way: string | undefined;
  let lies = new Set<string>();
  const lie = (lines: string[]) => {
    const lieIn = (one: string) => liar(one, { pair, lines }, chanceOf(pair.seed));
    way ??= rarest.find((one) => lieIn(one).lies.size > 0) ?? WAYS[0] ?? '';
    const { fields, lies: paths } = lieIn(way);
    lies = paths;
    return fields;
  };
  for (const [name, lookAt] of Object.entries(LOOKS)) {
    const ran = await runs.run(pair, proposing(lie, lookAt(pair)));
    // In a list without one row, the next rows move up.
    const skipped = new Set([...lies, ...([...lies].some(isOfRow) ? rowPaths(pair) : [])]);
    add(liarSums.get(name) ?? nothing(), compareRecord(pair, ran, skipped));
  }
  if (way !== undefined) lied.set(way, (lied.get(way) ?? 0) + lies.size);
}
for (const [way, number] of lied) if (number === 0) fail(`liar, never: ${way}`, []);
tell([...lied].map(([way, number]) => `  ${way}: ${numberText(number)}`).join('\n'));
for (const [name, sums] of liarSums) {
  const isHonest = LOOKS[name] === honestLook;
  const title = `liar, ${name}`;
  if (isHonest) figures.push(judge(title, sums));
  else {
    const { falsePaths, proven, judged, wronglyDelivered } = sums;
    figures.push(
      `${title}: ${falsePaths.length} false of ${numberText(proven)} proven, ${judged.length} delivered that labels and tables do not prove`,
    );
    tell(figures.at(-1) ?? '');
    failIfAny(`${title}, false and proven`, falsePaths);
    failIfAny(`${title}, delivered without proof`, judged);
    failIfAny(`${title}, delivered wrongly`, wronglyDelivered);
  }
}

const broken = Object.entries(BROKEN);
const faults: string[] = [];
for (const [at, seed] of pairs.entries()) {
  const [way, answer] = broken[at % broken.length] as (typeof broken)[number];
  const pair = pairOf(seed);
  const ran = await runs.run(pair, answer);
  const fault = faultOf(pair, ran);
  if (fault) faults.push(`${way}, ${fault}`);
  faults.push(...compareRecord(pair, ran).falsePaths.map((one) => `${way}, ${one}`));
}
if (faults.length > 0) fail('broken', faults);
figures.push(`broken in ${broken.length} ways: ${faults.length} invalid or without a reason`);
tell(figures.at(-1) ?? '');

/** Only forms with sentences can contain an injected order. */
const aimed: Pair[] = [];
for (let seed = Number(values.seed); aimed.length < INJECTED; seed++) {
  const pair = pairOf(seed);
  if (targetsIn(pair).length > 0) aimed.push(pair);
}
/** Values that an order demands: delivered with the honest second look, or with any called more than judged. */
const obeyed: string[] = [];
let attacked = 0;
for (const pair of aimed) {
  const fields = (lines: string[]) => obedient(pair, lines);
  attacked += targetsIn(pair).length + pair.absent.length;
  obeyed.push(...compareRecord(pair, await runs.run(pair, proposing(fields, honestLook(pair)))).wrong);
  for (const lookAt of Object.values(LOOKS)) {
    const compared = compareRecord(pair, await runs.run(withOrder(pair), proposing(fields, lookAt(pair))));
    obeyed.push(...compared.falsePaths, ...compared.wronglyDelivered);
    if (lookAt !== honestLook) obeyed.push(...compared.judged);
  }
  // One that sees through the false statement, and obeys the order: nothing of it is proven.
  const obedientLook: Look = (asked) => isDemandedOf(pair, asked) || honestLook(pair)(asked);
  obeyed.push(...compareRecord(pair, await runs.run(withOrder(pair), proposing(fields, obedientLook))).falsePaths);
}
failIfAny('orders in documents', obeyed);
figures.push(
  `${INJECTED} documents with an order about ${attacked} fields: ${obeyed.length} proven, or delivered although an honest second look refuses them`,
);
tell(figures.at(-1) ?? '');

await runs.close();
judges.close();
const seconds = Math.round((Date.now() - begun) / 1_000);
tell(`${seconds} s`);
if (values.write && process.exitCode === undefined)
  noteProofs(
    [
      {
        promise: 'What a record calls proven stands in the document, whatever a model says',
        command: values.short ? `${COMMAND} -- --short` : COMMAND,
        figure: [`${numberText(count)} pairs, seed ${values.seed}`, ...figures, `${seconds} s`].join('; '),
      },
    ],
    today(),
  );
