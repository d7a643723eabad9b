/**
 * `npm run quality -- --sets DIR`: what the product answers about documents by strangers, through its own interfaces: right, and
 * wrong although answered.
 * DIR holds `score.mjs` and one folder a set with `labels.json` and documents.
 */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readArguments } from '../../../scripts/arguments.ts';
import { markdownTable } from '../promises/markdown-table.ts';
import { today } from '../promises/proof-table.ts';
import { type Product, startProduct } from './product.ts';
import { type Item, LEAST_RIGHT, SETS } from './sets.ts';
import { isPart, PARTS, type Part } from './without/parts.ts';

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

const { values } = readArguments({
  command: 'npm run quality',
  options: {
    sets: { type: 'string', value: 'DIR', help: 'the sets, which every run needs' },
    only: { type: 'string', multiple: true, value: 'SET', help: 'asks these sets alone' },
    through: { type: 'string', value: 'schema', help: 'asks for the fields of a set by an output schema' },
    model: { type: 'string', value: 'ID', help: 'asks a real model, and prints first what that costs' },
    without: { type: 'string', value: 'PART', help: 'prints what a part of the product is worth' },
    yes: { type: 'boolean', default: false, help: 'spends what a real model costs' },
    answers: { type: 'string', value: 'FILE', help: 'keeps the answers' },
    write: { type: 'boolean', default: false, help: 'writes the document' },
  },
});

function itemsOf(folder: string): Item[] {
  return JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')).items;
}

type Answers = Record<string, object>;

const isBySchema = values.through === 'schema';
const askOf = (set: string) => (isBySchema ? SETS[set]?.askBySchema : SETS[set]?.ask);

const pathsOf = (folder: string, { file, files }: Item): string[] => (files ?? [file]).map((one) => join(folder, one));

async function answersOf(product: Product, set: string, folder: string): Promise<Answers> {
  const answers: Answers = {};
  const left = itemsOf(folder);
  const line = async () => {
    for (let item = left.shift(); item; item = left.shift())
      answers[item.id] = (await askOf(set)?.(product, item, pathsOf(folder, item))) ?? {};
  };
  await Promise.all(Array.from({ length: AT_ONCE }, line));
  return answers;
}

/** The most that a real model would read, in tokens, as prices differ. */
function estimate(root: string, sets: readonly string[]): { calls: number; tokens: number } {
  const items = sets.flatMap((set) => itemsOf(join(root, set)).map((item) => pathsOf(join(root, set), item)));
  const tokensOf = (paths: string[]) => paths.reduce((sum, path) => sum + statSync(path).size / BYTES_A_TOKEN, 0);
  return {
    calls: items.length,
    tokens: Math.round(items.reduce((sum, paths) => sum + Math.min(MOST_TOKENS, tokensOf(paths)), 0)),
  };
}

const textOfDocument = readFileSync(DOCUMENT, 'utf8');

const HEAD = ['Set', 'Items', 'Figures', 'Beside', 'Command', 'Measured'];
/** Stands behind `npm run quality -- --sets DIR`, as the document says. */
const COMMAND = '--only';

const rowName = (set: string): string =>
  [set, isBySchema && 'by a schema', values.model].filter((part) => part).join(', ');

const commandFor = (set: string): string =>
  `\`${[COMMAND, set, isBySchema && '--through schema', values.model && `--model ${values.model}`].filter((part) => part).join(' ')}\``;

/** The rows that were not measured this time stay. */
function rowsKept(measured: readonly string[]): string[][] {
  const [table = ''] = textOfDocument.split('\n## ');
  const [, , ...lines] = table.split('\n').filter((line) => line.startsWith('| '));
  const rows = lines.map((line) => line.slice(2, -2).split('|'));
  const cells = rows.map((row) => row.map((cell) => cell.trim()));
  return cells.filter(([name = '']) => !measured.includes(name));
}

/** In the order of the sets; what is measured by other commands comes last. */
function placeOf([name = '']: string[]): number {
  const place = Object.keys(SETS).indexOf(name.split(', ')[0] ?? '');
  return place < 0 ? Infinity : place;
}

function documentOf(rows: string[][]): string {
  const all = [...rows, ...rowsKept(rows.map(([name = '']) => name))];
  all.sort((a, b) => placeOf(a) - placeOf(b) || (a[0] ?? '').localeCompare(b[0] ?? ''));
  const [introduction = ''] = textOfDocument.split('\n| ');
  return `${introduction}
${markdownTable(HEAD, all)}
${textOfDocument.slice(textOfDocument.indexOf('\n## '))}`;
}

const root = resolve(values.sets ?? '');
if (!values.sets || !existsSync(join(root, 'score.mjs'))) {
  console.error('quality needs --sets DIR, a folder with score.mjs and one folder a set.');
  process.exit(2);
}
const scorer: Scorer = await import(pathToFileURL(join(root, 'score.mjs')).href);
const { without } = values;
if (without !== undefined && !isPart(without)) {
  console.error(`--without takes one of ${Object.keys(PARTS).join(', ')}.`);
  process.exit(2);
}
if (values.through !== undefined && !isBySchema) {
  console.error('--through takes the word schema.');
  process.exit(2);
}
const changed: readonly string[] = without ? PARTS[without] : Object.keys(SETS);
const only = values.only?.flatMap((names) => names.split(','));
const sets = changed.filter(
  (set) =>
    askOf(set) &&
    (values.model !== undefined || !SETS[set]?.needsModel) &&
    existsSync(join(root, set, 'labels.json')) &&
    (only?.includes(set) ?? true),
);
if (sets.length === 0) {
  const needModel = Object.keys(SETS).filter((set) => SETS[set]?.needsModel);
  console.error(`DIR has none of these sets; ${needModel.join(', ')} need --model.`);
  process.exit(2);
}
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

const kept: Record<string, object> = {};

const isAnswer = (value: unknown): boolean =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);

/** How many items have both a label and an answer for each field. */
function answeredIn(set: string, answers: Answers): Map<string, number> {
  const answered = new Map<string, number>();
  for (const { id, expect = {} } of itemsOf(join(root, set)))
    for (const field of Object.keys(expect))
      if (isAnswer(new Map(Object.entries(answers[id] ?? {})).get(field)))
        answered.set(field, (answered.get(field) ?? 0) + 1);
  return answered;
}

/** Of what is answered, how much is right, beside the goal of each field. Below it, a field fails the run. */
function goalsLine(set: string, answers: Answers, { figures }: Scores[string]): string {
  const answered = answeredIn(set, answers);
  const each = figures.flatMap(([name, right]) => {
    const count = answered.get(name);
    const goal = LEAST_RIGHT[name];
    if (count === undefined || goal === undefined) return [];
    const isBelow = 100 * right < goal * count;
    if (isBelow) process.exitCode = 1;
    return [
      `${name} ${right}/${count} (${((100 * right) / count).toFixed(0)} %, ${isBelow ? 'BELOW ' : ''}goal ${goal})`,
    ];
  });
  return `${set}, right of what is answered: ${each.join(', ')}`;
}

/** Fields that have a label and an answer: what of them is not right is wrong, and what has no answer is not. */
function wrongLine(set: string, answers: Answers, { figures }: Scores[string]): string | undefined {
  const answered = answeredIn(set, answers);
  const rows = figures.flatMap(([name, right]) => {
    const count = answered.get(name);
    return count === undefined ? [] : [{ name, count, wrong: count - right }];
  });
  if (rows.length === 0) return undefined;
  const sum = (of: 'count' | 'wrong') => rows.reduce((all, row) => all + row[of], 0);
  const each = rows.filter(({ wrong }) => wrong > 0).map(({ name, count, wrong }) => `${name} ${wrong}/${count}`);
  return [`wrong although answered ${sum('wrong')}/${sum('count')}`, each.join(', ')].filter((part) => part).join(': ');
}

/** The scores of each set. */
async function measure(part?: Part): Promise<Scores> {
  const product = await startProduct({ sets: root, model: values.model, without: part });
  const all: Scores = {};
  try {
    for (const set of sets) {
      const answers = await answersOf(product, set, join(root, set));
      Object.assign(kept, answers);
      const scores = scorer.scoreAll(answers, { only: [set] })[set];
      if (!scores) continue;
      all[set] = scores;
      const beside = part ? `without ${part}` : `beside: ${SETS[set]?.beside}`;
      console.log(`${scorer.line(set, scores)}; ${beside}`);
      const wrong = wrongLine(set, answers, scores);
      if (wrong) console.log(`${set}: ${wrong}`);
      if (isBySchema) console.log(goalsLine(set, answers, scores));
    }
  } finally {
    await product.stop();
  }
  return all;
}

/** The first figure of a set, in percent. */
function percentOf(scores: Scores[string] | undefined): number {
  const [, right = 0, of = 1] = scores?.figures[0] ?? [];
  return (100 * right) / of;
}

const scores = await measure();
if (without) {
  const others = await measure(without);
  for (const set of Object.keys(scores)) {
    const points = percentOf(scores[set]) - percentOf(others[set]);
    console.log(`${without} is worth ${points.toFixed(1)} points of ${scores[set]?.figures[0]?.[0]} in ${set}`);
  }
}
const rows = Object.entries(scores).map(([set, found]) => {
  const figures = scorer
    .line(set, found)
    .replace(/^\w+: /, '')
    .replace(/ \[.*$/, '');
  const wrong = wrongLine(set, kept, found);
  const shown = wrong ? `${figures}; ${wrong}` : figures;
  return [rowName(set), String(found.items), shown, SETS[set]?.beside ?? '', commandFor(set), today()];
});
if (values.answers) writeFileSync(values.answers, `${JSON.stringify(kept, null, 1)}\n`);
if (values.write) writeFileSync(DOCUMENT, documentOf(rows));
