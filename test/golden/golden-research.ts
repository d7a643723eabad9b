/**
 * Third part of `npm run golden`: whether the research agent recognizes duplicate stories, and whether the text that its
 * reports cite is in the source. Runs without a language model, so that it always gives the same result.
 */
import { type Judged, judgeReports, labelsMetBy, pairHalves, pairs, scoreOfPairs } from './research.ts';

const WANTED = 0.9;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
let isGood = true;

const hold = (is: boolean): void => {
  isGood &&= is;
};

function tellPairs(name: string, of: Parameters<typeof scoreOfPairs>[0]): void {
  const { pairs: count, same, precision, recall } = scoreOfPairs(of);
  console.log(
    `${name}: ${count} pairs, ${same} of them one story; ${percent(recall)} found, ${percent(precision)} right`,
  );
  hold(precision >= WANTED && recall >= WANTED);
}

function tellReports(name: string, all: readonly Judged[]): void {
  const sum = (of: (one: Judged) => number) => all.reduce((so, one) => so + of(one), 0);
  const sentences = sum((one) => one.sentences);
  const mean = (of: (one: Judged) => number) => sum((one) => of(one) * one.sentences) / Math.max(1, sentences);
  const [citations, resolved] = [sum((one) => one.citations), sum((one) => one.resolved)];
  console.log(`${name}: ${all.length} reports, ${sentences} sentences, ${resolved} of ${citations} citations resolve`);
  console.log(
    `  of each sentence ${percent(mean((one) => one.mean.words))} of the telling words and ` +
      `${percent(mean((one) => one.mean.trigrams))} of their triples stand in what it cites ` +
      `(at worst ${percent(Math.min(...all.map(({ worst }) => worst.words)))} and ` +
      `${percent(Math.min(...all.map(({ worst }) => worst.trigrams)))})`,
  );
  hold(resolved === citations && mean((one) => one.mean.words) >= WANTED);
}

const { development, heldOut } = pairHalves(pairs());
tellPairs('stories told twice, development', development);
tellPairs('stories told twice, held out', heldOut);
tellPairs('stories told twice, all', pairs());

const { ofLabelled, ofSamples } = await judgeReports();
tellReports('labelled corpus', ofLabelled);
const { read, toRead, said, toSay } = labelsMetBy(ofLabelled);
console.log(`  ${read} of ${toRead} labelled documents read, ${said} of ${toSay} labelled facts said`);
tellReports('sample corpora', ofSamples);
if (!isGood) process.exitCode = 1;
