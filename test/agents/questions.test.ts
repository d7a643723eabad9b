/** How many of 40 questions over files the keyless model answers, with the real agent and the real readers. */
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { openAgent } from './setup.ts';

type Question = {
  kind: string;
  files: string[];
  question: string;
  must?: (string | string[])[];
  mustNot?: string[];
  most?: number;
  sentences?: number;
  refuse?: boolean;
};

/** The number of right answers of each kind, as measured. A change that lowers one makes this model worse. */
const FLOORS: Record<string, number> = {
  fact: 12,
  'row lookup': 10,
  aggregate: 4,
  compare: 2,
  picture: 4,
  summary: 3,
  unanswerable: 2,
};
const WARNING = /No passage answers this clearly|do not seem to say anything|I cannot count or compare this/;
const REFUSAL = /do not seem to say anything|I cannot count or compare this/;

const questions: Question[] = parse(readFileSync(join(import.meta.dirname, 'questions.yaml'), 'utf8'));

const pathOf = (file: string): string =>
  join(
    import.meta.dirname,
    file.startsWith('samples/') ? `../documents/${file}` : `../golden/fields/documents/${file}`,
  );

/** The answer without the sources, the disclaimer and the marks of Markdown. */
const bodyOf = (answer: string): string =>
  answer
    .replace(/\n\n\*\*Sources\*\*[\s\S]*$/, '')
    .replace(/\n\n_Written by[\s\S]*$/, '')
    .replaceAll(/\\(.)/g, '$1')
    .replaceAll(/[*_`>|]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();

const holds = (body: string, part: string): boolean =>
  part.startsWith('/')
    ? new RegExp(part.slice(1, part.lastIndexOf('/')), 'u').test(body)
    : new RegExp(
        `(?<![\\p{L}\\p{N}])${part.toLowerCase().replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}]|[.,]\\d)`,
        'u',
      ).test(body);

function isRight({ must = [], mustNot = [], most = 2_500, sentences = 99, refuse = false }: Question, answer: string) {
  const body = bodyOf(answer);
  if (refuse) return REFUSAL.test(answer) && body.length < 600;
  return (
    must.every((part) => [part].flat().some((one) => holds(body, one))) &&
    !mustNot.some((part) => holds(body, part)) &&
    body.length <= most &&
    answer.split('\n').filter((line) => line.startsWith('> ')).length <= sentences
  );
}

it('answers at least as many of 40 questions as it did, and warns where it is wrong', async () => {
  const at = openAgent();
  const judged: { asked: Question; answer: string; right: boolean; warned: boolean }[] = [];
  try {
    for (const asked of questions) {
      const files = asked.files.map((file) => at.store(basename(file), readFileSync(pathOf(file))));
      const { text: answer = '' } = await at.run({ prompt: asked.question, fileIds: await Promise.all(files) });
      judged.push({ asked, answer, right: isRight(asked, answer), warned: WARNING.test(answer) });
    }
  } finally {
    await at.close();
  }
  const right = judged.filter((one) => one.right);
  const kinds = Map.groupBy(judged, ({ asked }) => asked.kind);
  const scores = Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.filter((one) => one.right).length]));
  const answered = right.filter(({ asked }) => !asked.refuse);
  const figures = {
    right: right.length,
    warnedAndRight: answered.filter(({ warned }) => warned).length,
    wrongWithoutWarning: judged.filter((one) => !one.right && !one.warned).length,
  };
  const line = [...kinds].map(([kind, all]) => `${kind} ${scores[kind]}/${all.length}`).join(', ');
  console.log(
    `right ${right.length}/${judged.length}: ${line}; right with a warning ${figures.warnedAndRight}/${answered.length}; wrong without a warning ${figures.wrongWithoutWarning}`,
  );
  const misses = judged.filter((one) => !one.right).map(({ asked, answer }) => `${asked.question}\n${bodyOf(answer)}`);
  for (const [kind, floor] of Object.entries(FLOORS))
    expect(scores[kind], `${kind}\n${misses.join('\n\n')}`).toBeGreaterThanOrEqual(floor);
}, 240_000);
