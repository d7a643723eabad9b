/** Checks what a model proposes for the fields of a record: quote, value, label and negation, by code alone. */

import { folded, isFreeText, isSameValue, type Scalar } from '../compare-values.ts';
import { type Field, isBound, labelKey, labelKindOf, stemsOf, wordsOf } from '../field-words.ts';
import { findQuote, type Quoted } from './find-quotes.ts';
import { aroundValue, decideValue, type FieldCandidate, labelledCandidates } from './find-values.ts';
import { type Line, oncePerPaper, type Paper, spansOf } from './lines.ts';
import { readingsOf, spelledIn, valueFrom, wordIn } from './typed-values.ts';

export type Proposal = { path: string; value: Scalar; quote: string };

/** `isProven`: words beside the value name the field. Otherwise a second look at value and quote has to agree. */
export type CheckedProposal = { candidate: FieldCandidate; isProven: boolean } | { fault: string };

const MAX_QUOTE = 300;

/**
 * `isStrict`: quotes must be exact, and words of the field must stand beside each value.
 * `entry` has all values that are proposed for the same entry of an array; of one that names the entry, `beside` the others.
 */
type Check = {
  paper: Paper;
  field: Field;
  others: readonly Field[];
  isStrict: boolean;
  entry?: readonly Scalar[] | undefined;
  beside?: readonly { field: Field; value: Scalar }[];
};

export function checkProposal(
  { paper, field, others, isStrict, entry, beside = [] }: Check,
  { value: given, quote }: Proposal,
): CheckedProposal {
  const { leaf } = field;
  const value = valueFrom(leaf, given, paper.habits);
  if (value === undefined) return { fault: 'the value is not of the type of the field' };
  const located = locate({ paper, field, isExact: isStrict || entry !== undefined }, value, quote);
  if ('fault' in located) return located;
  const { quoted, all } = located;
  const standing = all.filter((one) => !isBounded(field, one));
  const [first] = standing;
  if (!first) return { fault: 'the words beside the value make it a bound or a former value' };
  if (entry) return inEntry({ paper, field, others, quoted }, first, { entry, beside });
  const labelled = labelledCandidates(paper, field).find((one) => isSameValue(leaf, one.value, value));
  return labelled
    ? { candidate: labelled, isProven: true }
    : unlabelled({ paper, field, others, isStrict, quoted }, standing, first);
}

type Located = { quoted: Quoted; all: FieldCandidate[] } | { fault: string };

/**
 * Where the value stands: in its quote, or else, as models often shorten a quote or cite another sentence, at the only
 * place of the document that has the value.
 */
function locate(
  { paper, field, isExact }: Pick<Check, 'paper' | 'field'> & { isExact: boolean },
  value: Scalar,
  quote: string,
): Located {
  const quoted = quote.length > MAX_QUOTE ? undefined : findQuote(paper.parts, quote);
  if (field.leaf.kind === 'boolean' && quoted) return { quoted, all: wholeQuote(paper, quoted, value) };
  const all = quoted ? valuesIn(paper, field, quoted, value) : [];
  if (quoted && all.length > 0) return { quoted, all };
  const [only, ...more] = isExact || field.leaf.kind === 'boolean' ? [] : everywhere(paper, field, value);
  if (only && more.length === 0) return { quoted: onLine(only), all: [only] };
  if (quoted) return { fault: 'the value does not stand in the quote as a whole' };
  return quote.length > MAX_QUOTE
    ? { fault: `the quote is longer than ${MAX_QUOTE} characters` }
    : { fault: 'the quote does not stand in the document word for word' };
}

const onLine = ({ line: { part, start, text } }: FieldCandidate): Quoted => ({ part, start, end: start + text.length });

/** Searching more text for each proposal would take too long. */
const MAX_SEARCHED = 200_000;

function everywhere(paper: Paper, field: Field, value: Scalar): FieldCandidate[] {
  const shown = paper.parts.flatMap(({ text, hidden }, part) => (hidden ? [] : [{ part, start: 0, end: text.length }]));
  return shown.reduce((sum, { end }) => sum + end, 0) > MAX_SEARCHED
    ? []
    : shown.flatMap((part) => valuesIn(paper, field, part, value));
}

type QuotedCheck = Pick<Check, 'paper' | 'field' | 'others'> & { quoted: Quoted };
type Entry = Required<Pick<Check, 'beside'>> & { entry: readonly Scalar[] };

function inEntry(
  { paper, field, others, quoted }: QuotedCheck,
  first: FieldCandidate,
  { entry, beside }: Entry,
): CheckedProposal {
  const accepted: CheckedProposal = { candidate: first, isProven: false };
  if (isWholeEntry(first, entry)) return accepted;
  if (field.leaf.kind !== 'boolean' && isNegated(first)) return { fault: NEGATIVE };
  const isKnown =
    beside.some((one) => isStatedOf(first, one, paper)) || isSpokenOf({ paper, field, others, quoted }, first);
  return isKnown ? accepted : { fault: NOT_SPOKEN_OF };
}

/** A number that stands in its quote as a whole, in no negative sentence: an operand of a computation. */
export function quotedNumber(paper: Paper, given: Scalar, quote: string): FieldCandidate | undefined {
  const field = {
    names: [],
    leaf: { kind: 'number' },
    words: { keys: new Set<string>(), stems: new Set<string>() },
    isWanted: false,
  } as const;
  const value = valueFrom(field.leaf, given, paper.habits);
  const quoted = quote.length > MAX_QUOTE ? undefined : findQuote(paper.parts, quote);
  const [only, ...more] = value === undefined || !quoted ? [] : valuesIn(paper, field, quoted, value);
  return only && more.length === 0 && !isNegated(only) && !isBounded(field, only) ? only : undefined;
}

function isBounded(field: Field, candidate: FieldCandidate): boolean {
  const { before, after } = aroundValue(candidate);
  return isBound(field, before, after);
}

/** Without a label, a sentence may name the field; what nothing names or places is refused. */
function unlabelled(
  { paper, field, others, isStrict, quoted }: QuotedCheck & Pick<Check, 'isStrict'>,
  standing: readonly FieldCandidate[],
  first: FieldCandidate,
): CheckedProposal {
  const { kind } = field.leaf;
  const own = standing.find((one) => isNamedBefore(one, field, paper));
  const isAddress = field.leaf.format === 'email' || field.leaf.format === 'uri';
  if (kind !== 'boolean' && !isAddress && isNegated(own ?? first)) return { fault: NEGATIVE };
  if (own) return { candidate: { ...own, hasLabel: true, reason: 'the sentence names the field' }, isProven: true };
  const other = others.find((one) => one !== field && isLabelledFor(paper, one, first));
  if (other) return { fault: `the value stands beside a label of ${other.names.join('.')}` };
  if (kind === 'number' || kind === 'integer') {
    const spoken = isStrict ? undefined : standing.find((one) => isInClause(field, one));
    return spoken ? { candidate: spoken, isProven: false } : { fault: 'no words beside the value speak of the field' };
  }
  // A yes or a no stands nowhere itself, so words of its field must.
  const isStated = !isStrict && kind !== 'boolean' && !isOrder(first);
  return isStated || isSpokenOf({ paper, field, others, quoted }, first)
    ? { candidate: first, isProven: false }
    : { fault: NOT_SPOKEN_OF };
}

const CLAUSE_END = /[,;:]\s|\s(?:and|but|or|while|und|oder|aber|et|mais|ou|y|o|pero|e|ma)\s/;

/** `laborCost` needs the word for labor: words for money alone do not say which amount is meant. */
const FOR_MONEY = stemsOf('cost price paid pays rate fees total kosten preis prix coût precio coste');

/** Whether words of the field stand in the clause of the number. */
function isInClause({ words }: Field, candidate: FieldCandidate): boolean {
  const { before, after } = sentenceAround(candidate);
  const known = stemsOf(`${before.split(CLAUSE_END).at(-1)} ${after.split(CLAUSE_END)[0]}`);
  const own = [...words.stems].filter((stem) => !FOR_MONEY.has(stem));
  return (own.length > 0 ? own : [...words.stems]).some((stem) => known.has(stem));
}

/** Words of a sentence that orders its reader to answer or to fill something in, in English, German, French and Spanish. */
const ORDER_WORDS = [
  'ignore disregard forget answer(?:s|ing)? reply respond responses? output return submit print type put insert enter substitut\\p{L}* replac\\p{L}* use write set fill render format',
  'overwrit\\p{L}* override redact extract\\p{L}* assistants? chatbots? bots? ai llm models? prompts? system instructions? readers? readings? software tools? programs? automat\\p{L}* processors? ocr administrator developer',
  'mode fields? values? boxes box slots? wherever whatever anyone everything instead results?',
  'ignorier\\p{L}* vergiss antwort\\p{L}* anweisung\\p{L}* assistent\\p{L}* modell\\p{L}* ki felde?r? werte? überall ersetz\\p{L}* trag(?:en|e)? nimm setz\\p{L}* gib software automat\\p{L}* ergebnis texterkennung entwickler\\p{L}* maschinell\\p{L}*',
  'ignore[rzs] répon\\p{L}* modèle champs? valeurs? inscri\\p{L}* recopi\\p{L}* rempla\\p{L}* mets partout logiciel résultat cases? automati\\p{L}* formulaire',
  'respond[ae]\\p{L}* instruccion\\p{L}* modelo campos? valor(?:es)? asistente escrib\\p{L}* pon sustitu\\p{L}* devolver casillas? programa sistema automátic\\p{L}* resultado herramienta actúa',
].flatMap((words) => words.split(' '));
const ORDER = new RegExp(`(?<!\\p{L})(?:${ORDER_WORDS.join('|')})(?!\\p{L})`, 'iu');

/** An order may go on in a second sentence. */
function isOrder({ line, start, end }: FieldCandidate): boolean {
  const [before, after] = [
    line.text.slice(0, Math.max(0, start - line.start)),
    line.text.slice(Math.max(0, end - line.start)),
  ];
  return ORDER.test(`${before.split(SENTENCE_END).slice(-2).join(' ')} ${after.split(SENTENCE_END)[0]}`);
}

const NEGATIVE = 'the sentence of the value is negative';
const NOT_SPOKEN_OF = 'no words of the quote or around it speak of the field';

/** `Rope, 4 pieces at 2.50 each` */
const MAX_FILLERS = 3;

/** A line that holds the values of an entry and little else is a row, and no order or remark. */
function isWholeEntry({ line }: FieldCandidate, entry: readonly Scalar[]): boolean {
  const own = new Set(entry.flatMap((value) => folded(String(value)).split(' ')));
  const rest = folded(line.text)
    .split(' ')
    .filter((word) => /\p{L}/u.test(word) && !own.has(word));
  return rest.length <= MAX_FILLERS;
}

const stemsOfPaper = oncePerPaper(({ lines }: Paper) => {
  const stems = new Set<string>();
  for (const { text } of lines) for (const stem of stemsOf(text)) stems.add(stem);
  return stems;
});

/**
 * A line that could be an order to the model, which a second look may obey, too, must speak of the field: words of
 * the field stand in the quote, above it or in its heading, or code finds the same value by its place, or the value stands
 * alone on its line in a document that nowhere speaks of the field. Where the schema is in another
 * language than the document, there are no words to expect.
 */
function isSpokenOf({ paper, field, others, quoted }: QuotedCheck, candidate: FieldCandidate): boolean {
  const { stems } = field.words;
  const lines = linesOf(paper, quoted);
  const above = paper.lines[paper.lines.indexOf(lines[0] as Line) - 1];
  const near = [...lines, ...(above?.part === quoted.part ? [above] : [])].map(({ text }) => text);
  const isIn = (known: ReadonlySet<string>, wanted = stems) => [...wanted].some((stem) => known.has(stem));
  if (isIn(stemsOf([...near, paper.parts[quoted.part]?.label ?? ''].join(' ')))) return true;
  const own = decideValue(paper, field)?.best.value;
  if (own !== undefined && isSameValue(field.leaf, own, candidate.value)) return true;
  const known = stemsOfPaper(paper);
  const withoutNote = (text: string) => folded(text.replace(/\([^()]*\)\s*$/, ''));
  const isAlone = spansOf(candidate.line).some(({ text }) => withoutNote(text) === folded(String(candidate.value)));
  if (isAlone && !isIn(known, stemsOf(field.names.map(wordsOf).join(' ')))) return true;
  return !others.some(({ words }) => isIn(known, words.stems));
}

const linesOf = ({ lines }: Paper, { part, start, end }: Quoted): Line[] =>
  lines.filter((line) => line.part === part && line.start < end && line.start + line.text.length > start);

const unnamed = { reason: 'proposed by the model', score: 1, hasLabel: false } as const;

/** What a yes or a no follows from is the quote as a whole. */
function wholeQuote(paper: Paper, quoted: Quoted, value: Scalar): FieldCandidate[] {
  const [line] = linesOf(paper, quoted);
  return line ? [{ value, line, start: quoted.start, end: quoted.end, ...unnamed }] : [];
}

/** A field that is called `revenue_millions` has 312.4 of `312.4 million`. */
function scaleOf({ names }: Field): number {
  const words = wordsOf(names.at(-1) ?? '').toLowerCase();
  const found = SCALE_NAMES.find(([name]) => name.test(words));
  return found?.[1] ?? 1;
}
const SCALE_NAMES: readonly [RegExp, number][] = [
  [/\b(?:thousands?|tsd|tausend)\b/, 1e3],
  [/\b(?:millions?|mio|mn|millionen)\b/, 1e6],
  [/\b(?:billions?|mrd|bn|milliarden)\b/, 1e9],
];

/** The places in the quote where the value stands: read on whole lines, as a quote may cut a number. */
function valuesIn(paper: Paper, field: Field, quoted: Quoted, value: Scalar): FieldCandidate[] {
  const { leaf } = field;
  const lines = linesOf(paper, quoted);
  const written = typeof value === 'number' ? Number((value * scaleOf(field)).toPrecision(15)) : value;
  const found = lines.flatMap((line) =>
    spansOf(line).flatMap(({ text, start }) =>
      [
        ...(isFreeText(leaf) ? wordIn(text, String(value)) : readingsOf(leaf, text, paper.habits)),
        ...(typeof value === 'number' ? spelledIn(text) : []),
      ].flatMap((reading) => {
        const at = { start: start + reading.start, end: start + reading.end };
        const isIn =
          at.start >= quoted.start &&
          at.end <= quoted.end &&
          [value, written].some((one) => isSameValue(leaf, reading.value, one));
        return isIn ? [{ ...reading, value, line, ...at, ...unnamed }] : [];
      }),
    ),
  );
  const [line] = lines;
  const text = paper.parts[quoted.part]?.text.slice(quoted.start, quoted.end) ?? '';
  // A text may go on over several lines, such as an address.
  const isSpread = isFreeText(leaf) && ` ${folded(text)} `.includes(` ${folded(String(value))} `);
  return found.length === 0 && isSpread && line
    ? [{ value, line, start: quoted.start, end: quoted.end, ...unnamed }]
    : found;
}

/** `Nordhof Ferry runs 7 ships`: the sentence names an entry by giving its value of another field, in words of that field. */
function isStatedOf(candidate: FieldCandidate, { field, value }: { field: Field; value: Scalar }, { habits }: Paper) {
  const { before, after } = sentenceAround(candidate);
  const known = stemsOf(`${before} ${after}`);
  const isNamed = [...field.words.stems].some((stem) => known.has(stem));
  const read = [before, after].flatMap((text) => readingsOf(field.leaf, text, habits));
  return isNamed && read.some((one) => isSameValue(field.leaf, one.value, value));
}

const SENTENCE_END = /[.;!?]\s/g;

/** The words of the sentence before the value and behind it, on its line. */
function sentenceAround({ line, start, end }: FieldCandidate): { before: string; after: string } {
  const before = line.text.slice(0, Math.max(0, start - line.start));
  const after = line.text.slice(Math.max(0, end - line.start));
  return { before: before.split(SENTENCE_END).at(-1) ?? '', after: after.split(SENTENCE_END)[0] ?? '' };
}

/** Where the sentence of the value begins, in its part of the document. */
export const sentenceStart = (candidate: FieldCandidate): number =>
  candidate.start - sentenceAround(candidate).before.length;

const MAX_WORDS = 14;
const MAX_LABEL_WORDS = 5;

/** Whether the sentence names the field before the value, with no other value of its type between. */
function isNamedBefore(candidate: FieldCandidate, { leaf, words }: Field, { habits }: Paper): boolean {
  if (candidate.line.cells) return false;
  const { before } = sentenceAround(candidate);
  const tokens = before
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(-MAX_WORDS);
  for (let from = tokens.length - 1; from >= 0; from--)
    for (let to = Math.min(tokens.length, from + MAX_LABEL_WORDS); to > from; to--) {
      const label = tokens.slice(from, to).join(' ');
      if (!words.keys.has(labelKey(label))) continue;
      const between = tokens.slice(to).join(' ');
      const kind = words.kind === undefined ? undefined : labelKindOf(before);
      return kind === words.kind && readingsOf(leaf, between, habits).length === 0;
    }
  return false;
}

const NEGATION =
  /(?<![\p{L}])(?:no|not|never|neither|nor|without|excluding|except|instead|rather|cannot|kein\p{L}*|nicht|nie|ohne|pas|aucun\p{L}*|sans|sin|nunca|ningún|non|senza|nessun\p{L}*|niet|geen|zonder|não|sem|nie|bez)(?![\p{L}]|\. ?:?\s*\S*\d)|n['’]t(?![\p{L}])/iu;

const isNegated = (candidate: FieldCandidate): boolean => {
  const { before, after } = sentenceAround(candidate);
  return NEGATION.test(before) || NEGATION.test(after);
};

const isLabelledFor = (paper: Paper, other: Field, { line, start, end }: FieldCandidate): boolean =>
  labelledCandidates(paper, other).some((one) => one.line.part === line.part && one.start < end && one.end > start);
