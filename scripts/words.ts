/** Counts words of the private language in comments, documents, messages and names of tests. `npm run check` limits them to 0. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Words that plain engineering English has a better word for; docs/glossary.md names it. */
const PROSE = [
  /\bwhoever\b/i,
  /\bwhomever\b/i,
  /\banew\b/i,
  /(?<!\bthere )\bis no\b(?! longer)/i,
  /\btold\b/i,
  /\bbesides\b/i,
  /\bnobody\b/i,
  /\bif nothing is said\b/i,
  /\bUndefined =/,
];

/** Names that were replaced. Stored fields and interfaces keep theirs. */
const NAMES =
  /\b(mayFade|mayLag|briefly|foundOrganization|rememberingVault|tellTasks|newsOver|takePlace|beaten|redriven)\b/;

/** The limit of each kind. */
const LIMITS = { comments: 0, documents: 0, messages: 0, names: 0, tests: 0 };

type Counts = { [Kind in keyof typeof LIMITS]: string[] };

const listed = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

const badWords = (text: string): string[] => PROSE.flatMap((word) => word.exec(text)?.[0] ?? []);

/** Lines that are comments, or parts of one. */
const COMMENT = /^\s*(\/\/|\/?\*)|\s\/\/ /;

/** Texts in quotes on one line, without what templates insert. */
const textsOf = (line: string): string =>
  [...line.replace(/\$\{[^}]*\}/g, '').matchAll(/(['"`])((?:\\.|(?!\1).)*)\1/g)].map(([, , text]) => text).join(' ');

type Finding = { line: number; kind: Exclude<keyof typeof LIMITS, 'names' | 'tests'>; words: string[]; name?: string };

/** Fenced blocks and the targets of links are not prose. */
const proseOf = (text: string): string =>
  text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]+/g, '')).replace(/\]\([^)]*\)/g, ']');

const isComment = (content: string): boolean => COMMENT.test(content);

function findIn(file: string, text: string): Finding[] {
  if (file.endsWith('.md'))
    return proseOf(text)
      .split('\n')
      .map((content, at) => ({ line: at + 1, kind: 'documents', words: badWords(content) }));
  return text.split('\n').map((content, at) => {
    if (isComment(content)) return { line: at + 1, kind: 'comments', words: badWords(content) };
    const name = NAMES.exec(content)?.[0];
    return { line: at + 1, kind: 'messages', words: badWords(textsOf(content)), ...(name ? { name } : {}) };
  });
}

/** A call of it, describe or their .each with its table, or the end of a longer table, up to the name. */
const TEST =
  /(?:\b(?:it|describe)(?:\.\w+)*(?:<[^()]*>)?(?:\((?:[^()]|\([^()]*\))*\))?|\](?: as const)?\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;
const TEST_WORDS = [...PROSE, /\bnobody\b/i];

/** Names of tests are sentences that people read when a test fails. */
const badTestNames = (text: string): { line: number; word: string }[] =>
  Array.from(text.matchAll(TEST)).flatMap(({ 2: name = '', index }) =>
    TEST_WORDS.flatMap((pattern) => pattern.exec(name)?.[0] ?? []).map((word) => ({
      line: text.slice(0, index).split('\n').length,
      word,
    })),
  );

/** Texts of tests may quote anything; their names and comments are prose. */
function countInTests(counts: Counts): void {
  const files = listed('test', 'scripts').filter((file) => /\.tsx?$/.test(file) && file !== 'scripts/words.ts');
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    for (const { line, word } of badTestNames(text)) counts.tests.push(`${file}:${line}: ${word}`);
    const comments = findIn(file, text).filter(({ kind }) => kind === 'comments');
    for (const { line, words } of comments) for (const word of words) counts.comments.push(`${file}:${line}: ${word}`);
  }
}

function count(): Counts {
  const counts: Counts = { comments: [], documents: [], messages: [], names: [], tests: [] };
  const code = listed(
    'adapters',
    'agents',
    'bin',
    'client/src',
    'console',
    'engines',
    'functions',
    'infra',
    'shared',
  ).filter((file) => /\.tsx?$/.test(file));
  const documents = listed('*.md').filter((file) => !/^(test|CHANGELOG|docs\/(adr|evidence\/proof))/.test(file));
  for (const file of [...code, ...documents])
    for (const { line, kind, words, name } of findIn(file, readFileSync(file, 'utf8'))) {
      for (const word of words) counts[kind].push(`${file}:${line}: ${word}`);
      if (name) counts.names.push(`${file}:${line}: ${name}`);
    }
  countInTests(counts);
  return counts;
}

if (import.meta.main) {
  const counts = count();
  const kinds = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
  console.log(`words: ${kinds.map((kind) => `${kind} ${counts[kind].length} (at most ${LIMITS[kind]})`).join(', ')}`);
  for (const kind of kinds) {
    const isOver = counts[kind].length > LIMITS[kind];
    if (isOver || process.argv.includes('--list')) for (const one of counts[kind]) console.error(one);
    if (isOver) process.exitCode = 1;
  }
}
