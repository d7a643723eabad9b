/** What code can tell of an answer: which cited places exist, which figures stand there, and what a second look should see. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import type { Passage } from '../../../engines/retrieval/passages.ts';
import { searchStretches } from '../../../engines/retrieval/search.ts';
import { dates } from '../../values/dates.ts';
import { localeIn } from '../../values/locale.ts';
import { plainDigits } from '../../verification/evidence/figure-texts.ts';
import {
  type QuoteEvidence,
  saysResult,
  UNKNOWN_LOCALE,
  unfoundedFigures,
} from '../../verification/evidence/sentence-figures.ts';
import { surroundingsOf } from '../../verification/evidence/surroundings.ts';
import type { Quote } from '../../verification/statement-verdict.ts';
import { matchPlace, type PlacePart } from '../match-place.ts';
import type { ToolResult } from '../tool-results.ts';
import { type AnswerStatement, type Citation, statementsIn } from './answer-statements.ts';

/** A file, or what else an answer may rest on: the request, a ruleset, the result of an earlier step. */
export type AnswerSource = { name: string; parts: readonly DocumentPart[]; isFile: boolean };

/** The answer itself, or a file that was saved with it. */
export type AnswerText = { where: string; text: string };

export type AnswerToCompare = {
  sources: readonly AnswerSource[];
  toolResults: readonly ToolResult[];
  texts: readonly AnswerText[];
  /** The names of files that the task saved. */
  savedNames: readonly string[];
};

export type ComparedStatement = Pick<AnswerStatement, 'text' | 'context'> & {
  where: string;
  /** The citations as they are written, and those of them whose file or place does not exist. */
  cited: string[];
  missing: string[];
  /** The files that it cites, by their index. */
  files: number[];
  /** It cites no place, and may say nothing of a file. */
  isUncited: boolean;
  /** The figures that stand at none of its quotes. */
  unfounded: string[];
  quotes: Quote[];
};

const MAX_STATEMENTS = 300;

/** `left`: the statements beyond the limit, of which nothing is known. */
export function comparedAnswer({ sources, toolResults, texts, savedNames }: AnswerToCompare) {
  const evidence = evidenceOf(sources, toolResults);
  const [files, otherSources] = [true, false].map((isFile) => sources.filter((source) => source.isFile === isFile));
  const names = { files: namesOf(files), otherNames: [...savedNames, ...namesOf(otherSources)] };
  const statements = texts.flatMap(({ where, text }) =>
    statementsIn(text, names).map((statement) => ({ where, statement })),
  );
  return {
    statements: statements
      .slice(0, MAX_STATEMENTS)
      .map(({ where, statement }) => toComparedStatement(where, statement, evidence)),
    left: Math.max(0, statements.length - MAX_STATEMENTS),
  };
}

const namesOf = (sources: readonly AnswerSource[] = []): string[] => sources.map(({ name }) => name);

/** A stretch of a source as the search finds it. */
type SourceStretch = { source: number; part: number; start: number; end: number };

type Evidence = {
  sources: readonly AnswerSource[];
  toolResults: readonly ToolResult[];
  /** The stretches that are nearest to a text, the nearest first. */
  nearest(text: string): SourceStretch[];
  evidenceAt(stretch: SourceStretch): QuoteEvidence;
  /** The digits of its figures. */
  figuresAt(stretch: SourceStretch): ReadonlySet<string>;
  /** Where the cited place is, or undefined if there is no such file or place. */
  cited(citation: Citation): SourceStretch[] | undefined;
};

function evidenceOf(sources: readonly AnswerSource[], toolResults: readonly ToolResult[]): Evidence {
  const sourceParts = sources.flatMap(({ name, parts }, source) =>
    parts.map((part, nth) => ({ source, part: nth, passage: { source: name, place: part.label, text: part.text } })),
  );
  const search = searchStretches(sourceParts.map(({ passage }): Passage => passage));
  const locales = sources.map(({ parts }) => localeIn(parts.map(({ text }) => text).join('\n')));
  const documents = sources.map(({ parts }) =>
    parts.map(({ label: place, text, hidden }): PlacePart => ({ place, text, ...(hidden ? { hidden } : {}) })),
  );
  const evidenceCache = new Map<string, QuoteEvidence>();
  const figuresCache = new Map<string, ReadonlySet<string>>();
  const stretchesCache = new Map<string, SourceStretch[] | undefined>();
  return {
    sources,
    toolResults,
    nearest: (text) =>
      search(text).flatMap(({ passage, start, end }) => {
        const at = sourceParts[passage];
        return at ? [{ source: at.source, part: at.part, start, end }] : [];
      }),
    evidenceAt(stretch) {
      const key = JSON.stringify(stretch);
      const cached = evidenceCache.get(key);
      if (cached) return cached;
      const evidence = evidenceFrom(sources[stretch.source], stretch, locales[stretch.source] ?? UNKNOWN_LOCALE);
      evidenceCache.set(key, evidence);
      return evidence;
    },
    figuresAt(stretch) {
      const key = JSON.stringify(stretch);
      const cached = figuresCache.get(key);
      if (cached) return cached;
      const { text = '' } = sources[stretch.source]?.parts[stretch.part] ?? {};
      const digits = new Set(figuresOf(text.slice(stretch.start, stretch.end)));
      figuresCache.set(key, digits);
      return digits;
    },
    cited(citation) {
      const key = JSON.stringify([citation.files, citation.place]);
      if (!stretchesCache.has(key)) stretchesCache.set(key, citedStretches(documents, citation));
      return stretchesCache.get(key);
    },
  };
}

const NO_PARTS: readonly DocumentPart[] = [];

function evidenceFrom(
  source: AnswerSource | undefined,
  { part, start: from, end: to }: SourceStretch,
  locale: QuoteEvidence['locale'],
): QuoteEvidence {
  const parts = source?.parts ?? NO_PARTS;
  const { label = '', text = '' } = parts[part] ?? {};
  const quote = text.slice(from, to);
  const around = surroundingsOf(parts, { part, from, to, label });
  return { quote, around: { ...around, lines: quote }, locale };
}

/** In all files of the name. */
function citedStretches(documents: readonly PlacePart[][], { files, place }: Citation): SourceStretch[] | undefined {
  const stretches = files.flatMap((source) => {
    const parts = documents[source] ?? [];
    const whole = () => parts.map(({ text }, part) => ({ part, from: 0, to: text.length }));
    const placeStretches = place === '' ? whole() : (matchPlace(parts, place)?.stretches ?? []);
    return placeStretches.map(({ part, from, to }) => ({ source, part, start: from, end: to }));
  });
  return stretches.length === 0 ? undefined : stretches;
}

function toComparedStatement(where: string, statement: AnswerStatement, evidence: Evidence): ComparedStatement {
  const { text, context, citations, nearCitations } = statement;
  const missing = citations.filter((citation) => evidence.cited(citation) === undefined);
  const results = evidence.toolResults.filter((result) => isResultIn(text, result));
  const stretches = stretchesFor(statement, results, evidence);
  const ofResults = results.map(resultEvidence);
  return {
    where,
    text,
    ...(context === undefined ? {} : { context }),
    cited: citations.map(({ written }) => written),
    missing: missing.map(({ written }) => written),
    files: [...new Set([...citations, ...nearCitations].flatMap(({ files }) => files))],
    isUncited: citations.length === 0 && nearCitations.length === 0,
    unfounded: unfoundedFigures(text, {
      evidence: [...stretches.map(evidence.evidenceAt), ...ofResults],
      computed: results.flatMap(({ output }) => numbersOf(output)),
      days: results.flatMap(({ output }) => output.match(ISO_DAYS) ?? []),
    }),
    quotes: [
      ...stretches.map((stretch) => quoteAt(stretch, evidence)),
      ...results.map((result) => ({ source: RESULT_SOURCES[result.tool], text: resultEvidence(result).quote })),
    ],
  };
}

/** A calculation whose result the text says, or a query whose rows have a figure of the text. */
function isResultIn(text: string, { tool, output }: ToolResult): boolean {
  if (tool === 'query_table')
    return figuresOf(text).some((figure) => isDistinctive(figure) && figuresOf(output).includes(figure));
  const day = ISO_DAY.exec(output)?.[0];
  if (day !== undefined) return dates(plainDigits(text), UNKNOWN_LOCALE).some(({ value }) => value === day);
  return numbersOf(output).some((result) => saysResult(text, result));
}

/** One digit stands in any query. */
const isDistinctive = (figure: string): boolean => figure.length > 1;

/** Tools write numbers and days in one form. */
const numbersOf = (output: string): number[] => (output.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
const ISO_DAY = /\d{4}-\d\d-\d\d/;
const ISO_DAYS = /\d{4}-\d\d-\d\d/g;

const MAX_RESULT = 1_500;

/** What it says of its operands stands in the other quotes. */
const RESULT_SOURCES = {
  calculate: 'a calculation of the writer: it proves its result, not its operands',
  query_table: 'a query of the writer over the tables of the files, and its rows',
};

function resultEvidence({ input, output }: ToolResult): QuoteEvidence {
  const quote = `${input} = ${output}`.slice(0, MAX_RESULT).toWellFormed();
  return { quote, around: { lines: quote, headings: [] }, locale: UNKNOWN_LOCALE };
}

/** The digits of each figure, without the marks between them and zeros behind its decimals: `3,10` is `3.1000`. */
const figuresOf = (text: string): string[] =>
  (plainDigits(text).match(/\d+(?:[.,'’\u{a0}\u{202f}]\d+)*/gu) ?? []).map((figure) =>
    figure.replace(/(?<=[.,](?!\d{3}$)\d*?)0+$/, '').replaceAll(/\D/g, ''),
  );

const MAX_STRETCHES = 4;
/** A clause or a page up to this length is shown whole: once, however many statements cite it. */
const MAX_WHOLE = 3_000;
const MAX_WHOLE_PLACES = 2;
const NEAREST = 3;
const MAX_SEARCHED = 200;

/** What of the cited places says the statement: short places whole, of others the stretches that have its figures, or the nearest. */
function stretchesFor(
  { text, context = '', citations, nearCitations }: AnswerStatement,
  results: readonly ToolResult[],
  evidence: Evidence,
): SourceStretch[] {
  const cited = (citations.length > 0 ? citations : nearCitations).flatMap(
    (citation) => evidence.cited(citation) ?? [],
  );
  const isCited = (stretch: SourceStretch) => cited.some((place) => overlap(stretch, place));
  const nearestStretches = evidence.nearest(`${text} ${context}`);
  const nearest = nearestStretches.filter((stretch) => cited.length === 0 || isCited(stretch)).slice(0, MAX_SEARCHED);
  const figures = figuresToShow(text, results);
  const whole = cited.filter(({ start, end }) => end - start <= MAX_WHOLE).slice(0, MAX_WHOLE_PLACES);
  const isShown = (stretch: SourceStretch) => whole.some((place) => overlap(stretch, place));
  const furtherStretches = nearest.filter((stretch) => !isShown(stretch));
  const chosen = [...whole, ...withFigures(furtherStretches, remainingFigures(figures, whole, evidence), evidence)];
  // What no file has may stand in the request, a ruleset, or the result of an earlier step.
  if (cited.length > 0)
    chosen.push(
      ...withFigures(
        nearestStretches.filter(isNoFile(evidence)),
        remainingFigures(figures, chosen, evidence),
        evidence,
      ),
    );
  // What a calculation or a query says of the statement is nearer than words of it.
  const isEnough = whole.length > 0 || (results.length > 0 && (chosen.length > 0 || cited.length === 0));
  // A sentence without a place may be about anything in the files.
  const count = cited.length > 0 ? 1 : NEAREST;
  if (!isEnough) chosen.push(...furtherStretches.slice(0, count).filter((stretch) => !chosen.includes(stretch)));
  // A place without a word of the statement, such as one in another language, is shown by how it begins.
  return chosen.length > 0 || results.length > 0 ? chosen : cited.slice(0, 1).map(beginningOf);
}

const isNoFile =
  ({ sources }: Evidence) =>
  ({ source }: SourceStretch): boolean =>
    sources[source]?.isFile === false;

const remainingFigures = (
  figures: ReadonlySet<string>,
  chosen: readonly SourceStretch[],
  { figuresAt }: Evidence,
): Set<string> => new Set([...figures].filter((figure) => !chosen.some((stretch) => figuresAt(stretch).has(figure))));

/** Those of the statement that no query gave, and the operands of its calculations. */
function figuresToShow(text: string, results: readonly ToolResult[]): Set<string> {
  const queried = new Set(results.flatMap(({ tool, output }) => (tool === 'query_table' ? figuresOf(output) : [])));
  const operands = results.flatMap(({ tool, input }) => (tool === 'calculate' ? figuresOf(input) : []));
  return new Set([...figuresOf(text), ...operands].filter((figure) => !queried.has(figure)));
}

/** Each time the stretch that has most of the figures that are left, the nearest one of these; long figures tell more. */
function withFigures(
  nearest: readonly SourceStretch[],
  figures: ReadonlySet<string>,
  { figuresAt }: Evidence,
): SourceStretch[] {
  const remaining = new Set(figures);
  const candidates = nearest.map((stretch) => ({
    stretch,
    figures: [...figuresAt(stretch)].filter((figure) => remaining.has(figure)),
  }));
  const weightOf = (candidate: (typeof candidates)[number]) =>
    candidate.figures.reduce((sum, figure) => sum + (remaining.has(figure) ? figure.length : 0), 0);
  const chosen: SourceStretch[] = [];
  while (remaining.size > 0 && chosen.length < MAX_STRETCHES) {
    const weights = candidates.map(weightOf);
    const maxWeight = Math.max(0, ...weights);
    const best = candidates[weights.indexOf(maxWeight)];
    if (maxWeight === 0 || !best) break;
    chosen.push(best.stretch);
    for (const figure of best.figures) remaining.delete(figure);
  }
  return chosen;
}

const overlap = (a: SourceStretch, b: SourceStretch): boolean =>
  a.source === b.source && a.part === b.part && a.start < b.end && b.start < a.end;

const MAX_BEGINNING = 700;

const beginningOf = (stretch: SourceStretch): SourceStretch => ({
  ...stretch,
  end: Math.min(stretch.end, stretch.start + MAX_BEGINNING),
});

function quoteAt(stretch: SourceStretch, { sources, evidenceAt }: Evidence): Quote {
  const { name = '', parts = NO_PARTS } = sources[stretch.source] ?? {};
  const { label = '', hidden } = parts[stretch.part] ?? {};
  const { quote, around } = evidenceAt(stretch);
  const { lines: _, ...surroundings } = around;
  const place = [name, label, ...(hidden ? ['hidden'] : [])].filter((part) => part !== '');
  return { source: place.join(', '), text: quote.toWellFormed(), ...surroundings };
}
