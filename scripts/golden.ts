/** `npm run golden [folder]`: how often the keyless model quotes the labelled passage of the golden set, and cites it right. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { evaluate, halves, type Judged, type Question } from '../test/golden/evaluate.ts';
import { passagesOfText } from '../test/golden/passages-of-text.ts';

const WANTED = 0.8;
const folder = process.argv[2] ?? 'test/documents/samples/sources';
const files = new Map(readdirSync(folder).map((file) => [parse(file).name, file]));
const questions: Question[] = JSON.parse(readFileSync('test/golden/questions.json', 'utf8'));

function judge(question: Question): Judged {
  const file = files.get(question.document) ?? question.document;
  const text = readFileSync(join(folder, file), 'utf8');
  const place = text.indexOf(question.place ?? '');
  if (place === -1) throw new Error(`${file} has no place "${question.place}"`);
  return evaluate(question, passagesOfText(file, text));
}

function report(name: string, judged: Judged[]): void {
  const good = judged.filter(({ found, cited }) => found && cited);
  const share = good.length / judged.length;
  console.log(`${name}: ${good.length} of ${judged.length} quoted and cited (${Math.round(share * 100)} %)`);
  for (const { document, question } of judged.filter((one) => !good.includes(one)))
    console.log(`  missed: ${document}: ${question}`);
  if (share < WANTED) process.exitCode = 1;
}

const { development, heldOut } = halves(questions);
report('development', development.map(judge));
report('held out', heldOut.map(judge));
