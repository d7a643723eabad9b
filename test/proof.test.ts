/** Every promise of the README is in docs/evidence/proof.md, with a command that exists in a clean clone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { PROMISES } from './evidence/promises/promises.ts';
import { noteProofs, proofId, proofsIn } from './evidence/promises/proof-table.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const LINK = /\]\(docs\/evidence\/proof\.md#([\w-]+)\)/g;

const readme = readFileSync('README.md', 'utf8');
const rows = proofsIn(readFileSync('docs/evidence/proof.md', 'utf8'));
const linksIn = (text: string): string[] => [...text.matchAll(LINK)].map(([, id]) => id ?? '');
const [guarantees = ''] = /^## Guarantees\n[\s\S]*?(?=^## )/m.exec(readme) ?? [];

it('ends each guarantee of the README with a link to its row', () => {
  const lines = guarantees.split('\n').filter((line) => /^\| [A-Z]/.test(line) && !line.includes('| Evidence'));
  expect(lines).toHaveLength(6);
  for (const line of lines) expect(linksIn(line), line).toHaveLength(1);
});

it('has a row for each link', () => {
  const ids = rows.map(({ id }) => id);
  expect(linksIn(readme).filter((id) => !ids.includes(id))).toEqual([]);
});

it('names a command of this repository in each row, a figure and a day', () => {
  const scripts = new Set(Object.keys(packageJson.scripts));
  for (const { id, cells } of rows) {
    const [, command = '', figure, date] = cells;
    const [, script = ''] = /^`(?:npm run |npm )([\w:]+)( -- [\w -]+)?`$/.exec(command) ?? [];
    expect(scripts, `${id}: ${command}`).toContain(script);
    expect(figure, id).toMatch(/\d/);
    expect(date, id).toMatch(/^\d{4}-\d\d-\d\d$/);
  }
});

it('knows every suite by the promise that stands in a row of its own', () => {
  const ids = PROMISES.map(({ promise }) => proofId(promise));
  expect(new Set(ids).size).toBe(ids.length);
});

it('rewrites a row in its place, and appends a new one', () => {
  const folder = temporaryFolder();
  const file = `${folder.path}/proof.md`;
  writeFileSync(file, '# Proof\n\n| Promise |\n| --- |\n\nMore.\n');
  const note = (promise: string, figure: string) =>
    noteProofs([{ promise, command: 'npm test', figure }], '2026-06-01', file);
  note('It holds, always', '1 of 1');
  note('It holds too', '1 of 1');
  note('It holds, always', '2 of 2');
  const text = readFileSync(file, 'utf8');
  folder.remove();
  expect(proofsIn(text).map(({ cells }) => cells)).toEqual([
    ['It holds, always', '`npm test`', '2 of 2', '2026-06-01'],
    ['It holds too', '`npm test`', '1 of 1', '2026-06-01'],
  ]);
  expect(text).toMatch(/^# Proof\n\n\| Promise [\s\S]+\|\n\nMore\.\n$/);
});
