/** The name of the file that a request asks to save the answer in, and whether this model can write such a file. */

const VERB = /\b(?:saved?|write|written|stored?|export(?:ed)?|put|create|make|generate)\b/iu;
const ENDING = '\\.(?:md|markdown|txt|csv|tsv|jsonl?|xml|ya?ml|html?|pdf|docx?|xlsx?|pptx?)';
const END = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
const SIGN = '[\\p{L}\\p{N}\\p{M}_.-]';
/** What stands before a name, which has blanks in quotes only. Every repetition is bounded: a hostile request costs no more. */
const NAMED = new RegExp(
  `(?:^|\\b(as|to|in|into|named|called|file):?)\\s{1,9}(?:(?:an?|the|markdown|text|file|named|called)\\s{1,9}){0,4}` +
    `(?:["'\`“‘]([^"'\`“”‘’\\n]{1,80}${ENDING})["'\`”’]|([\\p{L}\\p{N}_]${SIGN}{0,80}${ENDING})${END})`,
  'giu',
);
/** "Save it as my notes.md": where no other name stands. */
const SPACED = new RegExp(
  `\\b(?:as|named|called)\\s{1,9}((?:[\\p{L}\\p{N}\\p{M}_-]{1,40} ){1,4}${SIGN}{1,80}${ENDING})${END}`,
  'iu',
);
const CLAUSE_END = /[.?!](?=\s)|\n/u;
const MAX_SEARCHED = 20_000;
const PROSE = /\.(?:md|markdown|txt)$/iu;

export const isProse = (fileName: string): boolean => PROSE.test(fileName);

/** `attached` are the names of the files to read: "write what is due in lease.txt" does not ask to save one. */
export function requestedFileName(request: string, attached: ReadonlySet<string>): string | undefined {
  for (const clause of request.slice(0, MAX_SEARCHED).split(CLAUSE_END)) {
    const verb = VERB.exec(clause);
    const named = verb ? fileNameIn(clause.slice(verb.index + verb[0].length), attached) : undefined;
    if (named !== undefined) return named;
  }
  return undefined;
}

function fileNameIn(behind: string, attached: ReadonlySet<string>): string | undefined {
  for (const [, sign = 'in', quoted, bare] of behind.matchAll(NAMED)) {
    const name = quoted ?? bare;
    const isRead = name !== undefined && sign.toLowerCase() === 'in' && attached.has(name);
    if (name !== undefined && !isRead) return name;
  }
  return SPACED.exec(behind)?.[1];
}
