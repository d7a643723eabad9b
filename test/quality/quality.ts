/**
 * `npm run quality -- --sets DIR`: what the product answers about documents by strangers, through its own interfaces.
 * DIR holds `score.mjs` and one folder a set with `labels.json` and documents. `--only SET` asks one set, `--model ID`
 * asks a real model and tells first what that costs, `--answers FILE` keeps the answers, `--write` writes the document.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { markdownTable } from '../proof/markdown-table.ts';
import { today } from '../proof/proof-table.ts';
import { type Product, startProduct } from './product.ts';
import { type Item, SETS } from './sets.ts';

const DOCUMENT = 'docs/evidence/quality.md';
const AT_ONCE = 2;
const BYTES_A_TOKEN = 4;
/** A model is shown at most this much of a document in a call. */
const MOST_TOKENS = 50_000;

type Scores = Record<string, { items: number; figures: [name: string, right: number, of?: number][] }>;
type Scorer = {
  scoreAll(answers: object, o: { only: string[] }): Scores;
  line(set: string, scores: Scores[string]): string;
};

const { values } = parseArgs({
  options: {
    sets: { type: 'string' },
    only: { type: 'string', multiple: true },
    model: { type: 'string' },
    yes: { type: 'boolean', default: false },
    answers: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

function itemsOf(folder: string): Item[] {
  return JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')).items;
}

const pathsOf = (folder: string, { file, files }: Item): string[] => (files ?? [file]).map((one) => join(folder, one));

async function answersOf(product: Product, set: string, folder: string): Promise<Record<string, object>> {
  const answers: Record<string, object> = {};
  const left = itemsOf(folder);
  const line = async () => {
    for (let item = left.shift(); item; item = left.shift())
      answers[item.id] = (await SETS[set]?.ask(product, item, pathsOf(folder, item))) ?? {};
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  return answers;
}

/** At most what a real model would read: prices differ, so the cost is told in tokens. */
function estimate(root: string, sets: readonly string[]): { calls: number; tokens: number } {
  const items = sets.flatMap((set) => itemsOf(join(root, set)).map((item) => pathsOf(join(root, set), item)));
  const tokensOf = (paths: string[]) => paths.reduce((sum, path) => sum + statSync(path).size / BYTES_A_TOKEN, 0);
  return {
    calls: items.length,
    tokens: Math.round(items.reduce((sum, paths) => sum + Math.min(MOST_TOKENS, tokensOf(paths)), 0)),
  };
}

function documentOf(rows: string[][], model: string): string {
  const head = ['Set', 'Items', 'Figures', 'Beside'];
  return `# Quality

What the product answers about documents that strangers made and labelled, through its own interfaces, with ${model}. Written by
\`npm run quality -- --sets DIR --write\` on ${today()}. The labels of half of each set were used in development.

${markdownTable(head, rows)}
`;
}

const root = resolve(values.sets ?? '');
if (!values.sets || !existsSync(join(root, 'score.mjs'))) {
  console.error('quality needs --sets DIR, a folder with score.mjs and one folder a set.');
  process.exit(2);
}
const scorer: Scorer = await import(pathToFileURL(join(root, 'score.mjs')).href);
const sets = Object.keys(SETS).filter(
  (set) => existsSync(join(root, set, 'labels.json')) && (values.only?.includes(set) ?? true),
);
if (values.model) {
  const { calls, tokens } = estimate(root, sets);
  console.log(
    `${values.model} is asked about ${calls} items, which reads up to ${tokens.toLocaleString('en')} tokens.`,
  );
  if (!values.yes) {
    console.error('Nothing was asked: add --yes to spend that.');
    process.exit(2);
  }
}

const product = await startProduct({ sets: root, model: values.model });
const rows: string[][] = [];
const kept: Record<string, object> = {};
try {
  for (const set of sets) {
    const answers = await answersOf(product, set, join(root, set));
    Object.assign(kept, answers);
    const scores = scorer.scoreAll(answers, { only: [set] })[set];
    if (!scores) continue;
    console.log(`${scorer.line(set, scores)}; beside: ${SETS[set]?.beside}`);
    const figures = scorer
      .line(set, scores)
      .replace(/^\w+: /, '')
      .replace(/ \[.*$/, '');
    rows.push([set, String(scores.items), figures, SETS[set]?.beside ?? '']);
  }
} finally {
  await product.stop();
}
if (values.answers) writeFileSync(values.answers, `${JSON.stringify(kept, null, 1)}\n`);
if (values.write) writeFileSync(DOCUMENT, documentOf(rows, values.model ?? 'the keyless model'));
