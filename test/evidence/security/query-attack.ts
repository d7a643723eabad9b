/** Hostile SQL statements: each ends in time, releases its memory, and delays no other organization. */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { isDocumentFailure } from '../../../engines/documents/document.ts';
import { type Documents, openDocuments } from '../../../engines/documents/documents.ts';
import { boundMs } from '../../support/machine-speed.ts';
import type { Part } from './part.ts';

/** Statements per family in the long form, `npm run prove:security -- --only query --nightly`, and in the short one. */
const EACH = 20;
const SHORT_EACH = 4;
/** A statement is killed after five seconds; the rest is the machine's. */
const KILLED_AFTER_MS = 5_000;
const MAX_REST_MS = 1_000;
const MAX_GROWTH_MB = 50;
const BACK_WITHIN_MS = 20_000;
/** Interval of ordinary reads by another organization. */
const READ_EVERY_MS = 50;
const IDLE_READS = 10;
/** Additional delay of reads that is allowed on a busy machine. */
const GRACE_MS = 25;

const ENDLESS = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)';

/** Each family makes a different statement for each number. */
const FAMILIES: Record<string, (nth: number) => string> = {
  'cross joins': (nth) =>
    `SELECT count(*), sum(a.n * ${nth}) FROM ${'abcdefgh'
      .slice(0, 4 + (nth % 4))
      .split('')
      .map((alias) => `t1 ${alias}`)
      .join(', ')}`,
  'endless recursion': (nth) => `${ENDLESS} SELECT ${nth % 2 ? 'count(*)' : 'max(x)'} FROM c WHERE x <> ${nth}`,
  'large values': (nth) =>
    `SELECT ${['zeroblob', 'randomblob', 'hex(zeroblob', "printf('%.*c'"][nth % 4]}${nth % 4 === 3 ? `, ${9e8 + nth}, 'x')` : `(${9e8 + nth})`}${nth % 4 === 2 ? ')' : ''}`,
  'growing texts': (nth) =>
    `WITH RECURSIVE c(x) AS (SELECT 'x${nth}' UNION ALL SELECT x || x FROM c) SELECT length(x) FROM c`,
  'other databases': (nth) =>
    [
      `ATTACH '/tmp/a${nth}' AS x`,
      `VACUUM INTO '/tmp/b${nth}'`,
      `DETACH x${nth}`,
      `SELECT * FROM x${nth}.sqlite_master`,
    ][nth % 4] ?? '',
  pragmas: (nth) =>
    [
      `PRAGMA hard_heap_limit=${nth}`,
      `PRAGMA cache_size=${-1e9 - nth}`,
      `SELECT * FROM pragma_table_info('t1') LIMIT ${nth}`,
      `PRAGMA writable_schema=${nth}`,
    ][nth % 4] ?? '',
  extensions: (nth) =>
    [
      `SELECT load_extension('x${nth}')`,
      `SELECT readfile('/etc/passwd', ${nth})`,
      `SELECT writefile('/tmp/x${nth}', 'x')`,
      `SELECT edit('x${nth}')`,
    ][nth % 4] ?? '',
  writes: (nth) =>
    [
      `CREATE TEMP TABLE x${nth} AS SELECT 1`,
      `WITH a AS (SELECT ${nth}) DELETE FROM t1`,
      `INSERT INTO t1 VALUES (${nth})`,
      `SELECT ${nth}; DROP TABLE t1`,
    ][nth % 4] ?? '',
  'deep expressions': (nth) =>
    `SELECT ${'('.repeat(500 * (1 + (nth % 12)))}${nth}${')'.repeat(500 * (1 + (nth % 12)))}`,
  'large sorts': (nth) => `${ENDLESS} SELECT x, printf('%0*d', ${500 + nth}, x) y FROM c ORDER BY y DESC`,
};

const TABLE = `n,k\n${Array.from({ length: 2_000 }, (_, at) => `${at},${at % 7}\n`).join('')}`;
const file = { name: 'table.csv', bytes: Buffer.from(TABLE) };

const p99 = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0;
const residentMb = (): number => Number(/VmRSS:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_024;

async function readTime(documents: Documents): Promise<number> {
  const from = performance.now();
  await documents.read({ name: 'other.csv', bytes: Buffer.from('a,b\n1,2\n') }, { organization: 'other' });
  return performance.now() - from;
}

async function readTimes(documents: Documents, isOver: (done: number) => boolean): Promise<number[]> {
  const times: number[] = [];
  while (!isOver(times.length)) {
    times.push(await readTime(documents));
    await sleep(READ_EVERY_MS);
  }
  return times;
}

/** Checks that the statement ended with an allowed outcome and in time. */
async function judged(
  documents: Documents,
  [family, sql]: readonly [string, string],
  maxMs: number,
): Promise<{ ms: number; faults: string[] }> {
  const from = performance.now();
  const load = async () => ({ files: [file], sql });
  const failure = await documents.query(load, { organization: 'hostile' }).then(
    () => undefined,
    (error) => error,
  );
  const ms = performance.now() - from;
  const isEnded = failure === undefined || isDocumentFailure(failure);
  const faults = [
    ...(ms > maxMs ? [`${family}: ${sql.slice(0, 80)} took ${Math.round(ms)} ms`] : []),
    ...(isEnded ? [] : [`${family}: ${sql.slice(0, 80)} ended with ${failure}`]),
  ];
  return { ms, faults };
}

export const query: Part = {
  name: 'query',
  promise: 'A hostile query ends within seconds, gives its memory back and delays no other task',
  isAlone: true,
  async run({ size }) {
    const documents = openDocuments(readerFilesFromCheckout());
    const broken: string[] = [];
    try {
      const maxMs = KILLED_AFTER_MS + boundMs(MAX_REST_MS);
      await documents.query(async () => ({ files: [file], sql: 'SELECT 1' }), { organization: 'hostile' });
      // The other organization's thread stays, and so does what the allocator keeps of the first thread that is killed.
      await readTimes(documents, (done) => done === IDLE_READS);
      await judged(documents, ['before', `${ENDLESS} SELECT count(*) FROM c`], maxMs);
      const before = residentMb();
      const each = size > 1 ? EACH : SHORT_EACH;
      const [idleTimes, busyTimes, took]: [number[], number[], number[]] = [[], [], []];
      const statements = Object.entries(FAMILIES).flatMap(([family, statement]) =>
        Array.from({ length: each }, (_, nth) => [family, statement(nth)] as const),
      );
      for (const [family, sql] of statements) {
        let isOver = false;
        const beside = readTimes(documents, () => isOver);
        const { ms, faults } = await judged(documents, [family, sql], maxMs);
        took.push(ms);
        broken.push(...faults);
        isOver = true;
        busyTimes.push(...(await beside));
        // Alternates with the busy phase, so that other load on the machine affects both sides.
        idleTimes.push(...(await readTimes(documents, (done) => done === IDLE_READS)));
      }
      const tried = statements.length;
      if (new Set(statements.map(([, sql]) => sql)).size < tried) broken.push('two statements are alike');
      const [idle, busy] = [p99(idleTimes), p99(busyTimes)];
      if (busy > 2 * idle + GRACE_MS)
        broken.push(`the p99 of others rose from ${idle.toFixed(1)} to ${busy.toFixed(1)} ms`);
      const from = performance.now();
      while (residentMb() - before > MAX_GROWTH_MB && performance.now() - from < BACK_WITHIN_MS) await sleep(200);
      const growth = residentMb() - before;
      if (growth > MAX_GROWTH_MB) broken.push(`${Math.round(growth)} MB stayed in use`);
      const figures = [
        `the longest ended after ${(Math.max(...took) / 1_000).toFixed(1)} s`,
        `p99 of another organization ${idle.toFixed(1)} ms idle, ${busy.toFixed(1)} ms beside`,
        `memory ${Math.round(growth)} MB more than before`,
      ];
      return [{ what: 'hostile statements', tried, broken, figures }];
    } finally {
      await documents.close();
    }
  },
};
