/** Counts words of the private language in comments, documents and messages. `npm run check` limits them; the aim is 0. */
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
  /\bif nothing is said\b/i,
  /\bUndefined =/,
];

/** Names that were replaced. Stored fields and interfaces keep theirs. */
const NAMES =
  /\b(mayFade|mayLag|briefly|foundOrganization|rememberingVault|tellTasks|newsOver|takePlace|beaten|redriven)\b/;

/** How many of each may stand. */
const LIMITS = { comments: 0, documents: 0, names: 0 };

type Counts = { [Kind in keyof typeof LIMITS]: string[] };

const listed = (...patterns: string[]): string[] =>
  execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...patterns], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);

const badWords = (text: string): string[] => PROSE.flatMap((word) => word.exec(text)?.[0] ?? []);

/** Lines that are comments, or parts of one. */
const COMMENT = /^\s*(\/\/|\/?\*)|\s\/\/ /;

type Finding = { line: number; words: string[]; name?: string };

/** Fenced blocks and the targets of links are not prose. */
const proseOf = (text: string): string =>
  text.replace(/^```[\s\S]*?^```$/gm, (block) => block.replace(/[^\n]+/g, '')).replace(/\]\([^)]*\)/g, ']');

function findIn(file: string, text: string): Finding[] {
  const isDocument = file.endsWith('.md');
  const lines = (isDocument ? proseOf(text) : text).split('\n');
  return lines.flatMap((content, at) => {
    const isComment = isDocument || COMMENT.test(content);
    const words = isComment ? badWords(content) : [];
    const name = isComment ? undefined : NAMES.exec(content)?.[0];
    return words.length > 0 || name ? [{ line: at + 1, words, ...(name ? { name } : {}) }] : [];
  });
}

function count(): Counts {
  const counts: Counts = { comments: [], documents: [], names: [] };
  const code = listed('adapters', 'agents', 'bin', 'console', 'engines', 'functions', 'infra', 'shared').filter(
    (file) => /\.tsx?$/.test(file),
  );
  const documents = listed('*.md').filter((file) => !/^(test|CHANGELOG|docs\/(adr|evidence\/proof))/.test(file));
  for (const file of [...code, ...documents])
    for (const { line, words, name } of findIn(file, readFileSync(file, 'utf8'))) {
      const kind = file.endsWith('.md') ? 'documents' : 'comments';
      for (const word of words) counts[kind].push(`${file}:${line}: ${word}`);
      if (name) counts.names.push(`${file}:${line}: ${name}`);
    }
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
