/**
 * Second half of `npm run golden`: how many of the labelled fields the named rules of the processing agent find, and how
 * much of what they find is right, over documents that other programs made. What was missed is shown for the development
 * half alone; `--all` shows the other half, too, and with that it is held out no more.
 */

import { readerFilesFromCheckout } from '../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../engines/documents/documents.ts';
import { markdownTable } from '../proof/markdown-table.ts';
import { isWriting, noteProofs, today } from '../proof/proof-table.ts';
import { type Judged, judge, readLabelled, scoreOf } from './fields.ts';

const WANTED = { recall: 0.9, precision: 0.95 };
const documents = openDocuments(readerFilesFromCheckout());
const set = readLabelled();
const halves: { development: Judged[]; heldOut: Judged[] } = { development: [], heldOut: [] };
for (const { labels, isHeldOut, files } of set) {
  for (const { file, bytes } of files) {
    const { parts } = await documents.read({ bytes: bytes(), name: file }, { organization: 'golden' });
    halves[isHeldOut ? 'heldOut' : 'development'].push(...(await judge(file, labels, parts)));
  }
}
await documents.close();

const fields = set.reduce((sum, { labels }) => sum + Object.values(labels).flat().length, 0);
const files = set.flatMap((one) => one.files);
console.log(`${fields} labelled fields of ${set.length} documents, read in ${files.length} forms`);

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function tell(name: string, judged: Judged[]) {
  const { labelled: wanted, found, recall, precision, badCitations } = scoreOf(judged);
  console.log(
    `${name}: ${percent(recall)} of ${wanted} found, ${percent(precision)} of ${found} right, ${badCitations} citations that point nowhere`,
  );
  return recall >= WANTED.recall && precision >= WANTED.precision && badCitations === 0;
}

function tellMisses(judged: Judged[]): void {
  for (const { file, rule, missed, wrong, badCitations } of judged) {
    if (missed.length > 0) console.log(`  ${file}, ${rule}: missed ${missed.join(' · ')}`);
    if (wrong.length > 0) console.log(`  ${file}, ${rule}: wrong ${wrong.join(' · ')}`);
    for (const { value, place } of badCitations)
      console.log(`  ${file}, ${rule}: ${value} is not to be found at ${place}`);
  }
}

const isGood = tell('development', halves.development);
tellMisses(halves.development);
const isGoodUnseen = tell('held out', halves.heldOut);
if (process.argv.includes('--all')) tellMisses(halves.heldOut);
const all = [...halves.development, ...halves.heldOut];
const isGoodInAll = tell('all', all);
const byRule = [...Map.groupBy(halves.development, ({ rule }) => rule)].map(([rule, judged]) => {
  const { labelled: wanted, recall, precision } = scoreOf(judged);
  return [rule, String(wanted), percent(recall), percent(precision)];
});
console.log(markdownTable(['rule', 'labelled', 'found', 'right'], byRule));
if (!isGood || !isGoodUnseen || !isGoodInAll) process.exitCode = 1;
else if (isWriting()) {
  const { labelled: wanted, recall, precision, badCitations } = scoreOf(all);
  const promise = 'Named rules find the fields of documents and cite their place';
  const figure = `${percent(recall)} of ${wanted} found, ${percent(precision)} right, ${badCitations} citations that point nowhere`;
  noteProofs([{ promise, command: 'npm run golden', figure }], today());
}
