/** The sentences, list items and table rows of a Markdown answer that say something of a document, with the places they cite. */

import { type TextBlock, walkBlocks } from '../../../engines/retrieval/blocks.ts';
import { cellsOf, plainText, splitSentences } from '../../../engines/retrieval/passages.ts';
import { isDocumentName } from '../saveable-files.ts';

/** A place of a file as an answer cites it: `[lease.pdf, page 3]`. `files` are all that have this name. */
export type Citation = { written: string; files: readonly number[]; place: string };

/** `otherNames`: what else may be named in brackets, such as saved files and rulesets. */
export type CitedNames = { files: readonly string[]; otherNames: readonly string[] };

export type AnswerStatement = {
  /** Without its citations. */
  text: string;
  /** What it continues: the heading above it, the line that introduces its list, or the sentence before. */
  context?: string;
  citations: Citation[];
  /** Those of its paragraph, for a sentence that cites no place itself. */
  nearCitations: Citation[];
};

export function statementsIn(answer: string, names: CitedNames): AnswerStatement[] {
  const statements: AnswerStatement[] = [];
  let introduction = '';
  walkBlocks({ text: answer, code: false }, ({ kind, start, end, heading, lead }) => {
    const leadText = lead && answer.slice(lead.start, lead.end);
    const block = answer.slice(start, end);
    const isRow = kind === 'row';
    const sentences = isRow ? rowOf(block, leadText, names) : sentencesIn(kind, block, names);
    statements.push(...inContext(sentences, [heading?.text, isRow ? introduction : leadText]));
    if (!isRow && kind !== 'code' && kind !== 'heading') introduction = sentences.at(-1)?.text ?? '';
  });
  return statements.filter(
    ({ text, citations }) => /\p{Nd}/u.test(text) || (citations.length > 0 && /\p{L}/u.test(text)),
  );
}

/** A short line may look like a heading and say something; of a numbered title the number says nothing. */
function sentencesIn(kind: TextBlock['kind'], block: string, names: CitedNames): CitedText[] {
  if (kind === 'code') return block.split('\n', MAX_CODE_LINES).flatMap((line) => sentencesOf(line, names));
  return sentencesOf(kind === 'heading' ? block.replace(TITLE_NUMBER, '') : block, names);
}

const MAX_CODE_LINES = 100;
const TITLE_NUMBER = /^\d{1,3}(?:\.\d{1,3})*\.?\s+/;

/** The sentences of one block; `above` is what stands before the block. */
function inContext(sentences: readonly CitedText[], above: readonly (string | undefined)[]): AnswerStatement[] {
  const nearCitations = sentences.flatMap(({ citations }) => citations);
  const before = above.map((text) => plainText(text ?? ''));
  return sentences.map(({ text, citations }, at) => {
    const context = [...before, sentences[at - 1]?.text ?? '']
      .filter((part) => part !== '')
      .join(' … ')
      .slice(-MAX_CONTEXT)
      .replace(CUT_WORD, '');
    return { text, ...(context === '' ? {} : { context }), citations, nearCitations };
  });
}

const MAX_CONTEXT = 300;
/** The rest of a word that is cut at the beginning of a context of this length. */
const CUT_WORD = new RegExp(`^\\S*\\s(?=.{${MAX_CONTEXT - 40},}$)`, 's');
const LIST_NUMBER = /^\(?\d{1,3}[.)]\s+/;

/** Each cell with its head: a row alone does not say what its figures are. A cell of citations alone says nothing. */
function rowOf(row: string, head: string | undefined, names: CitedNames): CitedText[] {
  const heads = head === undefined ? [] : cellsOf(head);
  const cells = cellsOf(row).map((cell) => {
    const { text, citations } = toMarkedText(cell, names);
    return { text: text.replaceAll(MARKS, '').trim(), citations };
  });
  const texts = cells.flatMap(({ text }, at) => (text === '' ? [] : [heads[at] ? `${heads[at]}: ${text}` : text]));
  return [{ text: texts.join('; '), citations: cells.flatMap(({ citations }) => citations) }];
}

type CitedText = { text: string; citations: Citation[] };

/** A text whose citations stand aside: each is a mark with its number in the text. */
function toMarkedText(text: string, names: CitedNames): CitedText {
  const citations: Citation[] = [];
  const withMarks = text.replaceAll(BRACKETS, (whole, inside: string) => {
    const cited = citationsIn(inside, names);
    if (cited.length === 0) return whole;
    const marks = cited.map((citation) => `${OPENS}${citations.push(citation) - 1}${CLOSES}`);
    return marks.join('');
  });
  return { text: withMarks, citations };
}

const BRACKETS = /\[([^[\]\n]{2,400})\](?!\()/g;
const OPENS = '\u{e000}';
const CLOSES = '\u{e001}';
const MARKS = /\s*\u{e000}(\d+)\u{e001}/gu;
/** A citation behind the full stop belongs to the sentence before it. */
const MARKS_BEHIND = /([.!?。！？])((?:\s*\u{e000}\d+\u{e001})+)/gu;

function sentencesOf(block: string, names: CitedNames): CitedText[] {
  const { text, citations } = toMarkedText(plainText(block).replace(LIST_NUMBER, ''), names);
  const whole = text.replaceAll(MARKS_BEHIND, '$2$1');
  return wholeSentences(whole).map((sentence) => ({
    text: sentence.replaceAll(MARKS, '').trim(),
    citations: Array.from(sentence.matchAll(MARKS)).flatMap(([, number]) => citations[Number(number)] ?? []),
  }));
}

/** A sentence ends neither within brackets nor before what cannot begin one, as behind many an abbreviation: `(19 % USt.); mit USt.` */
function wholeSentences(text: string): string[] {
  const sentences: string[] = [];
  for (const piece of splitSentences(text, 'en')) {
    const before = sentences.at(-1);
    const isContinued = before !== undefined && (isOpen(before) || /^[\p{Ll}\p{Nd}),;:(]/u.test(piece));
    if (isContinued) sentences[sentences.length - 1] = `${before} ${piece}`;
    else sentences.push(piece);
  }
  return sentences;
}

const isOpen = (text: string): boolean => text.split('(').length > text.split(')').length;

/** What stands before a comma may be the name of a document that is not there. */
const BEFORE_PLACE = /^[^,;]{1,200}(?=[,;]|$)/;

/** `lease.pdf, page 3; costs.xlsx, sheet Costs`. What follows a semicolon without a name is a place of the same file. */
function citationsIn(inside: string, names: CitedNames): Citation[] {
  const citations: Citation[] = [];
  for (let remaining = inside.trim(); remaining !== ''; ) {
    const name = nameIn(remaining, names);
    const stop = remaining.indexOf(';', name.length);
    const written = (stop < 0 ? remaining : remaining.slice(0, stop)).trim();
    remaining = stop < 0 ? '' : remaining.slice(stop + 1).trim();
    const citation = name === '' ? placeOfSame(written, citations.at(-1)) : citationOf(written, name, names);
    if (citation) citations.push(citation);
  }
  return citations;
}

function nameIn(cited: string, { files, otherNames }: CitedNames): string {
  const knownName = longest([...files, ...otherNames].filter((name) => startsWithName(cited, name)));
  const unknownName = BEFORE_PLACE.exec(cited)?.[0].trim() ?? '';
  return knownName || (isDocumentName(unknownName) ? unknownName : '');
}

const placeOfSame = (written: string, before: Citation | undefined): Citation | undefined =>
  before && { written, files: before.files, place: written };

function citationOf(written: string, name: string, { files, otherNames }: CitedNames): Citation | undefined {
  const matchingFiles = files.flatMap((file, at) => (isName(file, name) ? [at] : []));
  if (matchingFiles.length === 0 && otherNames.some((otherName) => isName(otherName, name))) return undefined;
  return { written, files: matchingFiles, place: written.slice(name.length).replace(/^[\s,]+/, '') };
}

const longest = (names: readonly string[]): string =>
  names.reduce((best, name) => (name.length > best.length ? name : best), '');

const isName = (name: string, otherName: string): boolean => name.toLowerCase() === otherName.toLowerCase();

const startsWithName = (written: string, name: string): boolean =>
  isName(written.slice(0, name.length), name) && /^\s*(?:[,;]|$)/.test(written.slice(name.length));
