/**
 * `npm run golden`: how often the keyless model quotes the labelled passage of the golden set and cites it right, in
 * documents that other programs made, read by the readers that tasks use. The other parts follow at the end.
 */
import { readFileSync } from 'node:fs';
import { readerFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../engines/documents/documents.ts';
import type { Passage } from '../../engines/retrieval/passages.ts';
import { readArguments } from '../../scripts/arguments.ts';
import { type Sample, samples } from '../documents/samples.ts';
import { isWriting, noteProofs, today } from '../proof/proof-table.ts';
import { evaluate, halves, type Question } from './evaluate.ts';

readArguments({
  command: 'npm run golden',
  options: { all: { type: 'boolean', help: 'shows also what the named rules missed in the held-out half' } },
});

const WANTED = 0.8;
const questions: Question[] = JSON.parse(readFileSync('test/golden/questions.json', 'utf8'));
const documents = openDocuments(readerFilesFromCheckout());

async function passagesIn({ file, bytes }: Sample): Promise<Passage[]> {
  const { parts } = await documents.read({ bytes: bytes(), name: file }, { organization: 'golden' });
  return parts.map(({ label, text }) => ({ source: file, place: label, text }));
}

type Judged = Question & { file: string; isGood: boolean };

/** In one of the document's forms, another one for each question, so that all types are asked. */
async function judge(question: Question, at: number): Promise<Judged> {
  const forms = samples.filter(({ source }) => source === question.document);
  const form = forms[at % forms.length];
  if (!form) throw new Error(`There is no sample of ${question.document}.`);
  const passages = await passagesIn(form);
  try {
    const { found, cited } = evaluate(question, passages);
    return { ...question, file: form.file, isGood: found && cited };
  } catch {
    // The passage lies across two places of this form: nothing can quote it whole.
    return { ...question, file: form.file, isGood: false };
  }
}

async function report(name: string, asked: Question[]): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const [at, question] of asked.entries()) judged.push(await judge(question, at));
  tell(name, judged);
  for (const { file, question } of judged.filter(({ isGood }) => !isGood))
    console.log(`  missed: ${file}: ${question}`);
  return judged;
}

function tell(name: string, judged: Judged[]): number {
  const good = judged.filter(({ isGood }) => isGood).length;
  const share = good / judged.length;
  console.log(`${name}: ${good} of ${judged.length} quoted and cited (${Math.round(share * 100)} %)`);
  return share;
}

const { development, heldOut } = halves(questions);
console.log(`${questions.length} questions over ${new Set(questions.map(({ document }) => document)).size} documents`);
const judged = [...(await report('development', development)), ...(await report('held out', heldOut))];
if (tell('all', judged) < WANTED) process.exitCode = 1;
else if (isWriting()) {
  const good = judged.filter(({ isGood }) => isGood).length;
  const promise = 'Without a model key, answers quote the right passage and cite its place';
  const figure = `${good} of ${judged.length} questions quoted and cited`;
  noteProofs([{ promise, command: 'npm run golden', figure }], today());
}
await documents.close();
await import('./golden-fields.ts');
await import('./golden-research.ts');
