/** Runs the judges that are not the product's: Python programs over documents and results, each a line of JSON. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demandProgram, pdftotext } from '../../support/browser/programs.ts';
import { installPython } from '../../support/emulators/install.ts';
import { documentOf } from './documents.ts';
import type { Pair } from './pairs.ts';
import { plantError, SORTS } from './plant-error.ts';

const here = import.meta.dirname;

export type Fault = { case: string; path: string; fault: string };
type Case = { case: string; documents: string[]; results: unknown };

/** Opens a folder for documents, with the two judges; `close` removes it. */
export async function openJudges() {
  const python = await installPython('openpyxl', join(here, 'requirements.txt'));
  const env = { ...process.env, PDFTOTEXT_PATH: await demandProgram(pdftotext) };
  const folder = mkdtempSync(join(tmpdir(), 'errand-judge-'));

  async function run(program: string, cases: readonly object[]): Promise<Fault[]> {
    const judge = spawn(python, [join(here, program)], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const ended = once(judge, 'exit');
    let told = '';
    judge.stdout.setEncoding('utf8').on('data', (text: string) => {
      told += text;
    });
    const closed = once(judge.stdout, 'end');
    for (const one of cases) if (!judge.stdin.write(`${JSON.stringify(one)}\n`)) await once(judge.stdin, 'drain');
    judge.stdin.end();
    const [[code]] = await Promise.all([ended, closed]);
    if (code !== 0) throw new Error(`${program} ended with ${code}.`);
    return told
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  }

  function keep(name: string, bytes: Uint8Array): string {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return file;
  }

  const kept = (pair: Pair): string => {
    const { name, bytes } = documentOf(pair);
    return keep(name, bytes);
  };
  return {
    keep,
    /** Judges the results of pairs by their documents. */
    records: (cases: readonly Case[]) => run('judge.py', cases),
    /** Judges files of results by the results themselves. */
    outputs: (cases: readonly { case: string; file: string; results: unknown }[]) => run('judge_outputs.py', cases),
    caseOf: (pair: Pair, results: unknown, name = String(pair.seed)): Case => ({
      case: name,
      documents: [kept(pair)],
      results,
    }),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

type Judges = Awaited<ReturnType<typeof openJudges>>;
type Honest = { pair: Pair; results: unknown };

/** Plants errors of all sorts in turn, and returns how many there are and those that the judge does not find. */
export async function plantErrors(
  judges: Judges,
  honest: readonly Honest[],
  wanted: number,
): Promise<{ count: number; unseen: string[] }> {
  const never = new Set(SORTS);
  const cases: (Case & { path: string })[] = [];
  const left = new Map(SORTS.map((sort) => [sort, [...honest]]));
  for (let at = 0; cases.length < wanted && at < wanted * SORTS.length; at++) {
    const sort = SORTS[at % SORTS.length] ?? '';
    const own = left.get(sort) ?? [];
    for (let next = own.shift(); next; next = own.shift()) {
      const { pair, results } = next;
      const error = plantError(sort, pair, results);
      if (!error) continue;
      const name = `${sort}, pair ${pair.seed} (${pair.form})`;
      never.delete(sort);
      cases.push({ ...judges.caseOf(pair, error.results, name), path: error.path });
      break;
    }
  }
  const faults = await judges.records(cases);
  const seen = new Set(faults.map((one) => `${one.case} ${one.path}`));
  return {
    count: cases.length,
    unseen: [
      ...cases.filter((one) => !seen.has(`${one.case} ${one.path}`)).map((one) => `${one.case}: ${one.path}`),
      ...[...never].map((sort) => `${sort}: never planted`),
    ],
  };
}
