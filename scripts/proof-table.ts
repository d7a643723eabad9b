/** Notes in docs/proof.md what a run has shown: one row for each promise, written by the command that proves it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { markdownTable } from './markdown-table.ts';

const DOCUMENT = 'docs/proof.md';
const HEAD = ['Promise', 'Command', 'Figure', 'Date'];

export type Proof = { promise: string; command: string; figure: string };

export function noteProofs(proofs: readonly Proof[], date: string): void {
  const text = readFileSync(DOCUMENT, 'utf8');
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('|'));
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  const rows = new Map(lines.slice(from + 2, from + length).map((line) => [cellsOf(line)[0], cellsOf(line)]));
  for (const { promise, command, figure } of proofs) rows.set(promise, [promise, `\`${command}\``, figure, date]);
  lines.splice(from, length, markdownTable(HEAD, [...rows.values()]));
  writeFileSync(DOCUMENT, lines.join('\n'));
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
