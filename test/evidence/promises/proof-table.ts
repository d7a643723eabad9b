/** Writes docs/evidence/proof.md: one row for each promise, written by the command that proves it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { markdownTable } from './markdown-table.ts';

const PROOFS = 'docs/evidence/proof.md';
const HEAD = ['Promise', 'Command', 'Figure', 'Date'];
const MAX_WORDS = 8;
const ANCHOR = /^<a id="[^"]*"><\/a>/;

export type Proof = { promise: string; command: string; figure: string };
type Row = { id: string; cells: string[] };

/** Whether test runs write their rows too, like `-- --write` of other commands. */
export const isWriting = (): boolean => process.env.PROOF_WRITE !== undefined;

export const today = (): string => new Date().toISOString().slice(0, 10);

/** The anchors that the README links to. */
const proofId = (promise: string): string =>
  promise
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, ' ')
    .trim()
    .split(' ')
    .slice(0, MAX_WORDS)
    .join('-');

function proofsIn(text: string): Row[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('| Promise '));
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  return lines.slice(from + 2, from + length).map((line) => {
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const promise = (cells[0] ?? '').replace(ANCHOR, '');
    return { id: proofId(promise), cells: [promise, ...cells.slice(1)] };
  });
}

const cellsOf = ({ id, cells: [promise, ...rest] }: Row): string[] => [`<a id="${id}"></a>${promise}`, ...rest];

export function noteProofs(proofs: readonly Proof[], date: string, file = PROOFS): void {
  const text = readFileSync(file, 'utf8');
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith('|'));
  const length = lines.slice(from).findIndex((line) => !line.startsWith('|'));
  const rows = new Map(proofsIn(text).map((row) => [row.id, row]));
  for (const { promise, command, figure } of proofs) {
    const id = proofId(promise);
    rows.set(id, { id, cells: [promise, `\`${command}\``, figure, date] });
  }
  lines.splice(from, length, markdownTable(HEAD, [...rows.values()].map(cellsOf)));
  writeFileSync(file, lines.join('\n'));
}
