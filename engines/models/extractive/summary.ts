/** Summarizes a document by its most central sentences: those with most of its frequent words, early ones first. */
import { walkBlocks } from '../../retrieval/blocks.ts';
import { isCode, type Passage, type QuoteUnit, unitsOf } from '../../retrieval/passages.ts';
import { titleOf } from '../../retrieval/quotes.ts';
import { STOP_WORDS, stem, wordsOf } from '../../retrieval/words.ts';
import { inOrder } from './ranking.ts';

/** Reads this much of a document. Of a longer one, it reads every second, third ... block. */
const MAX_READ = 200_000;
const ENOUGH_ALIKE = 0.5;
const SIGNIFICANT =
  /\b(?:in summary|in conclusion|overall|we conclude|conclu\w+|as a result|therefore|important(?:ly)?|key|main|purpose|objective|decided|agreed|recommend\w*|result\w*|total|must|will|deadline|increase\w*|decrease\w*|grew|fell|cause[ds]?)\b|\d/iu;
/** Who was there. */
const ATTENDANCE =
  /^(?:(?:those )?pr[ée]sents?|in attendance|attend\w+|apologies|absents?|anwesend\w*|abwesend\w*|teilnehm\w*|entschuldigt|excus(?:ed|[ée]s?)|asistentes|presentes|ausentes) ?:/iu;
/** A definition says what a word means, and little of what a document is about. */
const DEFINES = /\b(?:shall mean|means|bezeichnet|bedeutet|désigne)\b/iu;
/** Ends where something else begins. */
const LEADS_ON = /(?:[:;]|\b(?:and|or|und|oder|et|ou))$/iu;
const KIND = { prose: 1, item: 0.75, pair: 0.7, row: 0.45, code: 0.4, heading: 0 };

const LONG = 280;

type WeightedUnit = { unit: QuoteUnit; stems: Set<string>; score: number };

/** `focus` contains the stems that the prompt names, as in "summarise the risks". */
export function summarise(
  passageNumbers: number[],
  passages: Passage[],
  { count, focus, language }: { count: number; focus: Set<string>; language: string },
): QuoteUnit[] {
  const units = sampleUnits(passageNumbers, passages, language).map((unit) => ({ unit, stems: stemsOf(unit.text) }));
  const common = frequent(units.map(({ stems }) => stems));
  const weighed = units.map(({ unit, stems }, at) => ({
    unit,
    stems,
    score: centrality(stems, common, focus) * positionWeight(unit, at) * ownWeight(unit, at / units.length),
  }));
  const chosen: WeightedUnit[] = [];
  for (const next of weighed.sort((a, b) => b.score - a.score || inOrder(a.unit, b.unit))) {
    if (chosen.length >= count || next.score <= 0) break;
    if (!chosen.some(({ stems }) => similarity(stems, next.stems) > ENOUGH_ALIKE)) chosen.push(next);
  }
  return chosen.map(({ unit }) => unit).sort(inOrder);
}

function sampleUnits(passageNumbers: number[], passages: Passage[], language: string): QuoteUnit[] {
  const size = passageNumbers.reduce((sum, passage) => sum + (passages[passage]?.text.length ?? 0), 0);
  const stride = Math.max(1, Math.ceil(size / MAX_READ));
  const units: QuoteUnit[] = [];
  let nth = 0;
  for (const passage of passageNumbers) {
    const { text = '', source = '' } = passages[passage] ?? {};
    walkBlocks({ text, code: isCode(source) }, (block) => {
      if (nth++ % stride === 0 && block.kind !== 'heading')
        units.push(...unitsOf({ passage, block }, passages, language));
    });
  }
  return units;
}

/** The title of a numbered section that goes on in its line, as in "4. Redistribution. You may ...". */
const RUN_IN = /^(?:§ ?)?\(?\d{1,2}(?:\.\d{1,2})*[.)]?\s+(\p{Lu}[^.:;!?]{2,60})(?:[.:]\s|[.:]?$)/u;
const MAX_TITLE = 100;
const MAX_OUTLINED = 60;

/** No number of a page, no line of a table of contents, and no end of a sentence that was read as a heading. */
const isSection = (line: string): boolean => /\p{L}{3}/u.test(line) && !/(?:\. ?){4}|^\p{Ll}|[,-]$/u.test(line);

/** The first line of a document, and the titles of its sections in order, each once. */
export function outlineOf(
  passageNumbers: number[],
  passages: Passage[],
  language: string,
): { title: string; sections: string[] } {
  const headings: string[] = [];
  let title = '';
  for (const passage of passageNumbers) {
    const { text = '', source = '' } = passages[passage] ?? {};
    walkBlocks({ text, code: isCode(source) }, (block) => {
      if (headings.length >= MAX_OUTLINED || /^(?:row|code|pair)$/.test(block.kind)) return;
      const [{ text: line = '' } = {}] = unitsOf({ passage, block }, passages, language);
      const section = block.kind === 'heading' ? line : RUN_IN.exec(line)?.[1];
      if (title === '' && line.length <= MAX_TITLE && !/[.!?]$/.test(line) && isSection(line)) title = line;
      else if (section !== undefined && section.length <= MAX_TITLE && isSection(section)) headings.push(section);
    });
  }
  return { title, sections: [...new Set(headings)].filter((heading) => heading !== title) };
}

const stemsOf = (text: string): Set<string> =>
  new Set(
    wordsOf(text)
      .filter((word) => word.length > 2 && !STOP_WORDS.has(word) && !/^\d+$/.test(word))
      .map(stem),
  );

function frequent(all: Set<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stems of all) for (const one of stems) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

function centrality(stems: Set<string>, common: Map<string, number>, focus: Set<string>): number {
  let sum = 0;
  for (const one of stems) sum += Math.log1p((common.get(one) ?? 1) - 0.5) + (focus.has(one) ? 3 : 0);
  return sum / Math.sqrt(8 + stems.size);
}

/** What a document says of itself near its beginning tells what it is for. */
const OF_ITSELF =
  /(?<!\p{L})(?:this (?:\p{L}+ )?(?:manual|guide|document|report|paper|policy|handbook|book|article|tutorial|form|agreement|page|file|notice|procedure|standard) (?:is|describes?|explains?|contains?|provides?|covers?|gives?|shows?|introduces?|outlines?|sets out|applies)|diese[rs]? (?:\p{L}+ )?(?:\p{L}*handbuch|dokument|leitfaden|\p{L}*anleitung|bericht|text|artikel|buch|richtlinie) (?:ist|beschreibt|erkl[äa]rt|enth[äa]lt|behandelt|soll|gibt|zeigt)|ce(?:t|tte)? (?:\p{L}+ )?(?:manuel|document|guide|rapport|article|livre|notice|page|texte) (?:est|d[ée]crit|pr[ée]sente|explique|contient|donne|fournit)|est[ea] (?:\p{L}+ )?(?:gu[íi]a|manual|documento|informe|art[íi]culo|libro|p[áa]gina|texto) (?:es|describe|contiene|explica|presenta|ofrece))(?!\p{L})/iu;
const BEGINNING = 0.2;
const ownWeight = ({ text }: QuoteUnit, share: number): number => (share <= BEGINNING && OF_ITSELF.test(text) ? 3 : 1);

/** Weighs position and form: openings and results count more, fragments and very long sentences less. */
function positionWeight({ block, text, nth }: QuoteUnit, at: number): number {
  const length = text.length < 40 ? 0.5 : text.length > 450 ? 0.4 : text.length > LONG ? 0.7 : 1;
  const opening = at === 0 ? 1.6 : at < 4 ? 1.25 : nth === 0 ? 1.1 : 1;
  return (
    KIND[block.kind] *
    length *
    opening *
    (SIGNIFICANT.test(text) ? 1.15 : 1) *
    0.4 ** [DEFINES, LEADS_ON, ATTENDANCE].filter((minor) => minor.test(text)).length
  );
}

function similarity(one: Set<string>, other: Set<string>): number {
  let shared = 0;
  for (const word of one) if (other.has(word)) shared++;
  return shared / Math.max(1, Math.min(one.size, other.size));
}

const MAX_SENTENCES = 24;
/** One to ten, in five languages. */
const NUMBERS = [
  'one|einem|einen|einer|eine|une|una|uno|un',
  'two|zwei|deux|dos|due',
  'three|drei|trois|tres|tre',
  'four|vier|quatre|cuatro|quattro',
  'five|fünf|cinq|cinco|cinque',
  'six|sechs|seis|sei',
  'seven|sieben|sept|siete|sette',
  'eight|acht|huit|ocho|otto',
  'nine|neun|neuf|nueve|nove',
  'ten|zehn|dix|diez|dieci',
];
const LENGTH = new RegExp(
  `(?<!\\p{L})(\\d{1,2}|${NUMBERS.join('|')})(?: \\p{L}+)? (?:sentences?|points?|bullets?|lines?|sätzen?|satz|(?:stich)?punkten?|zeilen|phrases?|lignes?|frases?|oraciones|puntos?|líneas|frasi|punti|righe)(?!\\p{L})`,
  'iu',
);

/** How many sentences each document gets: the first ones one more, if the number that was asked for leaves a rest. */
export function shareSentences(request: string, documents: number): { isAsked: boolean; counts: number[] } {
  const asked = askedLength(request);
  const share = (at: number) =>
    asked
      ? Math.max(1, Math.floor((asked + documents - 1 - at) / documents))
      : Math.max(2, Math.min(7, Math.floor(MAX_SENTENCES / documents)));
  return { isAsked: asked !== undefined, counts: Array.from({ length: documents }, (_, at) => share(at)) };
}

const FEW = 4;
const SHORT =
  /(?<!\p{L})(?:few sentences|couple of sentences|brief(?:ly)?|short (?:summary|overview)|in short|keep it short|kurz(?:e[mnrs]?)?|wenigen sätzen|quelques phrases|bri[èe]vement|bref|breve(?:mente)?|pocas (?:frases|palabras)|poche frasi)(?![\p{L}-])/iu;

/** How many sentences a summary is to have, if the request says so. */
function askedLength(text: string): number | undefined {
  const [, said = ''] = LENGTH.exec(text) ?? [];
  if (said === '' && SHORT.test(text)) return FEW;
  const number = Number(said) || NUMBERS.findIndex((words) => words.split('|').includes(said.toLowerCase())) + 1;
  return number > 0 ? Math.min(number, MAX_SENTENCES) : undefined;
}

const MAX_SECTIONS = 10;

/** Says in one sentence what a document is: its title, its file, and its sections. Empty if it has no title and none. */
export function describeDocument(
  source: string,
  passageNumbers: number[],
  { passages, language }: { passages: Passage[]; language: string },
): string {
  const { title, sections } = outlineOf(passageNumbers, passages, language);
  if (title === '' && sections.length === 0) return '';
  const named = title === '' ? titleOf(source) : `“${titleOf(title)}” (${titleOf(source)})`;
  const shown = sections.slice(0, MAX_SECTIONS).map(titleOf).join('; ');
  return `This is ${named}${shown === '' ? '' : `, about: ${shown}${sections.length > MAX_SECTIONS ? '; …' : ''}`}.`;
}
