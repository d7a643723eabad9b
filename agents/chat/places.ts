/** Finds what a cited place means in a document: a label of its parts, pages, rows, cells or lines, or a heading of its text. */
import { headingMarks, type TextBlock, walkBlocks } from '../../engines/retrieval/blocks.ts';
import { plainText } from '../../engines/retrieval/passages.ts';
import { leadingParts } from '../leading-parts.ts';

/** A part of a document with its label, such as `page 3`, `sheet Costs, rows 1 to 60 of 300` or `section 4. Deposit`. */
export type PlacePart = { place: string; text: string; hidden?: true };

/** A stretch of the text of the part with this index; `to` is exclusive. */
type PlaceStretch = { part: number; from: number; to: number };

export type PlaceMatch = {
  /** What the stretches are, in the words of the document: `page 3`, or `page 3, 4. Deposit` for a heading. */
  place: string;
  stretches: PlaceStretch[];
  /** Words of the wanted place that name nothing in the document, such as `first paragraph` of `page 3, first paragraph`. */
  unmatched: string[];
};

/** A longer place is cut, and one with more commas is divided at the first of them. */
const MAX_PLACE = 300;
const MAX_COMMAS = 8;
const MAX_PLACES = 4;
const MAX_STRETCHES = 60;

/**
 * The stretches that a place names, in the order of the document, or undefined if it names nothing. A place may have
 * several names behind commas, which narrow it (`page 3, section 4`), and several places behind semicolons.
 */
export function matchPlace(parts: readonly PlacePart[], wanted: string): PlaceMatch | undefined {
  const document = documentOf(parts);
  const matches = folded(wanted.slice(0, MAX_PLACE))
    .split(';', MAX_PLACES)
    .map(folded)
    .flatMap((place) => matchNames(document, place, MAX_COMMAS) ?? []);
  const [first, ...others] = matches;
  return first && others.reduce((all, match) => joined(all, match, union(all.stretches, match.stretches)), first);
}

type Labelled = { label: string; counted: Counted | undefined };

type PlaceDocument = {
  parts: readonly PlacePart[];
  labels: readonly Labelled[];
  /** Its headings and numbered paragraphs, which are looked up only if no label fits. */
  marks(): readonly Mark[];
};

function documentOf(parts: readonly PlacePart[]): PlaceDocument {
  return {
    parts,
    labels: parts.map(({ place }) => ({ label: folded(place), counted: countedIn(lastName(folded(place))) })),
    marks: () => marksOnce(parts),
  };
}

/** Case, spaces, dashes, quotes and final points do not tell two places apart. */
const folded = (place: string): string =>
  place
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‐-―]/g, '-')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/["“”«»]/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s'[]+/, '')
    .replace(/[\s'\].:,]+$/, '');

const lastName = (label: string): string => label.slice(label.lastIndexOf(', ') + 1).trim();

type Unit = 'page' | 'slide' | 'line' | 'row' | 'paragraph';
type Counted = { unit: Unit; ranges: { from: number; to: number }[] };
type Found = { place: string; stretches: PlaceStretch[]; unit?: Unit };

function matchNames(document: PlaceDocument, wanted: string, commas: number): PlaceMatch | undefined {
  if (wanted === '') return undefined;
  const whole = matchName(document, wanted);
  if (whole) return { ...whole, unmatched: [] };
  const divisions = [...wanted.matchAll(/\s*[,:>(/)]\s+|\s+[-(]\s*/g)].slice(0, commas);
  for (const {
    index,
    0: { length },
  } of divisions.toReversed()) {
    const head = matchName(document, folded(wanted.slice(0, index)));
    if (head) return narrowed(document, head, folded(wanted.slice(index + length)), commas - 1);
  }
  const [first] = divisions;
  const behind = first && matchNames(document, folded(wanted.slice(first.index + first[0].length)), commas - 1);
  return behind && { ...behind, unmatched: [wanted.slice(0, first?.index), ...behind.unmatched] };
}

/** `page 3, page 5` are two places; `page 3, section 4` is what of the section stands on the page. */
function narrowed(document: PlaceDocument, head: Found, tail: string, commas: number): PlaceMatch | undefined {
  const whole = { ...head, unmatched: [] };
  const narrower = matchNames(document, tail, commas);
  if (!narrower) return { ...whole, unmatched: tail === '' ? [] : [tail] };
  const isList = head.unit !== undefined && head.unit === countedIn(tail)?.unit;
  const stretches = isList ? union(head.stretches, narrower.stretches) : common(head.stretches, narrower.stretches);
  return stretches.length === 0 ? undefined : joined(whole, narrower, stretches);
}

const joined = (first: PlaceMatch, other: PlaceMatch, stretches: PlaceStretch[]): PlaceMatch => ({
  place: beginsWith(other.place, first.place) ? other.place : `${first.place}, ${other.place}`,
  stretches,
  unmatched: [...first.unmatched, ...other.unmatched],
});

/** Labels go before headings: a label is what the product itself calls a place. */
function matchName(document: PlaceDocument, wanted: string): Found | undefined {
  if (wanted === '') return undefined;
  const exact = byLabel(document, (label) => isLabel(label, wanted));
  if (exact) return { ...exact, ...unitOf(wanted) };
  const counted = countedIn(wanted);
  if (counted) {
    const stretches = byCount(document, counted);
    if (stretches.length > 0) return { ...labelled(document, stretches), unit: counted.unit };
    // A page that the document does not have is none of its headings either.
    if (counted.unit !== 'paragraph') return undefined;
  }
  return (
    byCells(document, wanted) ??
    byLabel(document, (label) => beginsWith(label, wanted)) ??
    byLabel(document, (label) => beginsWith(label.replace(/^\p{L}+ /u, ''), wanted)) ??
    byHeading(document, wanted)
  );
}

const unitOf = (wanted: string): { unit?: Unit } => {
  const counted = countedIn(wanted);
  return counted ? { unit: counted.unit } : {};
};

/** `sheet Costs` also names `sheet Costs, rows 1 to 60 of 300`, and `page 3` what is hidden on the page. */
const isLabel = (label: string, wanted: string): boolean =>
  label === wanted || label.startsWith(`${wanted},`) || /^ \((?!\d+\))/.test(afterStart(label, wanted));

const afterStart = (text: string, start: string): string => (text.startsWith(start) ? text.slice(start.length) : '');

/** `section 4` begins `section 4. Deposit` and `section 4.1 Amount`, but not `section 41`. */
const beginsWith = (text: string, start: string): boolean =>
  text === start || /^[^\p{L}\p{N}]/u.test(afterStart(text, start));

function byLabel(document: PlaceDocument, fits: (label: string) => boolean): Found | undefined {
  const stretches = document.labels.flatMap(({ label }, part) => (fits(label) ? [wholePart(document, part)] : []));
  return stretches.length === 0 ? undefined : labelled(document, stretches);
}

const wholePart = ({ parts }: PlaceDocument, part: number): PlaceStretch => ({
  part,
  from: 0,
  to: parts[part]?.text.length ?? 0,
});

const labelled = ({ parts }: PlaceDocument, stretches: PlaceStretch[]): Found => {
  const labels = [...new Set(stretches.map(({ part }) => parts[part]?.place ?? ''))];
  const isShort = labels.length <= 3;
  return { place: isShort ? labels.join(', ') : `${labels[0]} … ${labels.at(-1)}`, stretches };
};

const COUNTED = /^(pp?|page|slide|line|row|paragraph)s?\.? (\d.*)$/;
/** Numbers and what parts them have no character in common, so that no list takes long. */
const NUMBERS = /^\d+(?:(?:-| to | and |, ?| ?& ?| - )\d+)*$/;
const UNITS: Record<string, Unit> = { p: 'page', pp: 'page' };

/** The numbers of `pages 3-5`, `lines 10 to 40`, `pages 3, 5 and 7` or `rows 1 to 60 of 1,300`. */
function countedIn(place: string): Counted | undefined {
  const [, word = '', counted = ''] = COUNTED.exec(place) ?? [];
  const list = counted.replaceAll(/(\d),(?=\d{3}(?!\d))/g, '$1').replace(/ of \d+$/, '');
  if (!NUMBERS.test(list)) return undefined;
  const ranges = list
    .split(/ and |, ?| ?& ?/)
    .map((range) => range.split(/ ?- ?| to /).map(Number))
    .map(([from = Number.NaN, to = from]) => ({ from, to }));
  return { unit: UNITS[word] ?? (word as Unit), ranges };
}

function byCount(document: PlaceDocument, { unit, ranges }: Counted): PlaceStretch[] {
  return document.labels.flatMap(({ label, counted }, part): PlaceStretch[] => {
    if (counted?.unit !== unit) {
      return unit === 'row' && isSmallSheet(document, label) ? [wholePart(document, part)] : [];
    }
    const [within] = counted.ranges;
    const shared = within ? ranges.filter(({ from, to }) => within.from <= to && within.to >= from) : [];
    if (!within || shared.length === 0) return [];
    return unit === 'line' ? linesOf(document, part, within, shared) : [wholePart(document, part)];
  });
}

/** A small sheet is one part, whose label does not say its rows. */
const isSmallSheet = ({ labels }: PlaceDocument, label: string): boolean =>
  label.startsWith('sheet ') &&
  !labels.some(
    (other) => other.counted?.unit === 'row' && isLabel(label, other.label.replace(/, rows [\d,]+ to .*$/, '')),
  );

/** The wanted lines of a part; the whole of one that was divided otherwise than its label says. */
function linesOf(
  document: PlaceDocument,
  part: number,
  within: Counted['ranges'][number],
  ranges: Counted['ranges'],
): PlaceStretch[] {
  const text = document.parts[part]?.text ?? '';
  const ends = [...text.matchAll(/\n|$/g)].map(({ index }) => index);
  if (ends.length !== within.to - within.from + 1) return [wholePart(document, part)];
  return ranges.map(({ from, to }) => {
    const before = ends[Math.max(from, within.from) - within.from - 1];
    return { part, from: before === undefined ? 0 : before + 1, to: ends[Math.min(to, within.to) - within.from] ?? 0 };
  });
}

const CELLS =
  /^(?:(?:sheet )?'?(.+?)'?!)?(?:(?:cell|range)s? )?\$?[a-z]{1,3}\$?(\d{1,7})(?::\$?[a-z]{1,3}\$?(\d{1,7}))?$/;

/** `Costs!B4:F40` is in the rows 4 to 40 of the sheet; cells without a sheet are in any. */
function byCells(document: PlaceDocument, wanted: string): Found | undefined {
  const [, sheet, from = '', to = from] = CELLS.exec(wanted) ?? [];
  if (from === '') return undefined;
  const inRows = byCount(document, { unit: 'row', ranges: [{ from: Number(from), to: Number(to) }] });
  const stretches = inRows.filter(({ part }) => {
    const label = document.labels[part]?.label ?? '';
    return sheet === undefined ? !label.startsWith('section ') : isLabel(label, `sheet ${sheet}`);
  });
  return stretches.length === 0 ? undefined : labelled(document, stretches);
}

/**
 * A heading, or a paragraph that begins with a number, as clauses of contracts do. `title` is in the words of the document,
 * `key` is folded.
 */
type Mark = Numbering & { part: number; start: number; level: number; isHeading: boolean; title: string; key: string };

/** The number at the beginning of a heading: `§ 4 Miete`, `Article IV`, `4.1 Amount`. `name` is the text behind it. */
type Numbering = { word: string; number: string; name: string };

const NUMBERED =
  /^(?:(\p{L}{2,}\.?|§{1,2}) ?(?=[\s(§\d]|(?<=§)))? ?\(?(\d{1,4}(?:\.\d{1,4}){0,5}[a-z]?|[ivxl]{1,6}|[a-z](?=[.)]))[.)]*(?:[ :-]+(.*))?$/u;

function numberingOf(heading: string): Numbering {
  const [, word = '', number = '', name = ''] = NUMBERED.exec(heading.slice(0, MAX_PLACE)) ?? [];
  return { word, number, name };
}

/** A numbered paragraph stands below all headings. */
const PARAGRAPH_LEVEL = 9;
const MAX_TITLE = 120;

/** Headings are looked for in so many characters, as this runs beside the calls of others; labels are known of all. */
const MAX_WALKED = 1_000_000;

const marksFound = new WeakMap<readonly PlacePart[], Mark[]>();

/** Many places of one document are looked up. */
function marksOnce(parts: readonly PlacePart[]): Mark[] {
  const marks = marksFound.get(parts) ?? marksOf(parts);
  marksFound.set(parts, marks);
  return marks;
}

function marksOf(parts: readonly PlacePart[]): Mark[] {
  const marks: Mark[] = [];
  let heading: TextBlock['heading'];
  for (const [part, { text, hidden }] of leadingParts(parts, MAX_WALKED).entries()) {
    if (hidden) continue;
    heading = walkBlocks({ text, code: false, heading }, (block) => {
      if (block.kind === 'row' || block.kind === 'code') return;
      const isHeading = block.kind === 'heading';
      const title = plainText(text.slice(block.start, Math.min(block.end, block.start + MAX_TITLE)));
      const key = folded(title);
      const numbering = numberingOf(key);
      if (!isHeading && numbering.number === '') return;
      marks.push({ ...numbering, ...positionOf(text, block), part, isHeading, title, key });
    });
  }
  return marks;
}

/** The marks before a Markdown heading say its level; any other stands one level below the heading above it. */
function positionOf(text: string, { kind, start, heading: above }: TextBlock): Pick<Mark, 'start' | 'level'> {
  if (kind !== 'heading') return { start, level: PARAGRAPH_LEVEL };
  const hashes = headingMarks(text, start);
  const level = hashes === '' ? Math.min((above?.level ?? 0) + 1, PARAGRAPH_LEVEL - 1) : hashes.trim().length;
  return { start: start - hashes.length, level };
}

function byHeading(document: PlaceDocument, wanted: string): Found | undefined {
  const numbering = numberingOf(wanted);
  const bare = wanted.replace(/^section /, '');
  const rules: ((mark: Mark) => boolean)[] = [
    ({ isHeading, key }) => isHeading && (key === wanted || key === bare),
    ({ isHeading, key }) => isHeading && (beginsWith(key, wanted) || beginsWith(key, bare)),
    (mark) => mark.word !== '' && mark.word === numbering.word && hasNumber(mark, numbering),
    (mark) => mark.isHeading && hasNumber(mark, numbering),
    // A bare number is more likely an item of a list than a clause.
    (mark) => (numbering.word !== '' || numbering.number.includes('.')) && hasNumber(mark, numbering),
  ];
  const marks = document.marks();
  for (const isWanted of rules) {
    const fitting = marks.flatMap((mark, at) => (isWanted(mark) ? [at] : [])).slice(0, MAX_STRETCHES);
    const first = marks[fitting[0] ?? -1];
    if (!first) continue;
    const stretches = fitting.reduce<PlaceStretch[]>((all, at) => union(all, stretchesOf(document, marks, at)), []);
    const label = document.parts[first.part]?.place ?? '';
    const place = folded(label).includes(first.key) ? label : `${label}, ${first.title}`;
    return { place, stretches };
  }
  return undefined;
}

/** `clause 4` is `4. Deposit` and `Clause 4`, but not `Schedule 4`, and not the number of a page. */
const hasNumber = (mark: Mark, { word, number, name }: Numbering): boolean =>
  number !== '' &&
  mark.number === number &&
  (mark.word === '' ? mark.name !== '' : word === mark.word || word === '' || word === 'section') &&
  (name === '' || beginsWith(mark.name, name));

const depthOf = ({ number }: Numbering): number => number.split('.').length;

/** The next heading of its kind: of its numbering, or of its level or above it. */
function endOf(marks: readonly Mark[], at: number): Mark | undefined {
  const mark = marks[at];
  if (!mark) return undefined;
  const isNumbered = mark.number !== '';
  for (let next = at + 1; next < marks.length; next++) {
    const other = marks[next];
    const isSameKind =
      isNumbered && other?.number !== '' && other?.word === mark.word && depthOf(other) <= depthOf(mark);
    // A list below a heading does not end it, but `Item 8` that is no heading ends `Item 7`.
    if (other?.isHeading ? isSameKind || other.level < mark.level + (isNumbered ? 0 : 1) : isSameKind && isWeak(mark))
      return other;
  }
  return undefined;
}

const isWeak = ({ isHeading, word }: Mark): boolean => !isHeading || word !== '';

function stretchesOf(document: PlaceDocument, marks: readonly Mark[], at: number): PlaceStretch[] {
  const { part: first, start } = marks[at] ?? { part: 0, start: 0 };
  const end = endOf(marks, at);
  const last = end ? end.part : document.parts.length - 1;
  return Array.from({ length: last - first + 1 }, (_, nth) => wholePart(document, first + nth))
    .filter(({ part }) => !document.parts[part]?.hidden)
    .map(({ part, to }) => ({
      part,
      from: part === first ? start : 0,
      to: end && part === end.part ? end.start : to,
    }))
    .filter(({ from, to }) => to > from);
}

/** Stretches that overlap or touch become one. */
function union(some: readonly PlaceStretch[], others: readonly PlaceStretch[]): PlaceStretch[] {
  const all = [...some, ...others].toSorted((a, b) => a.part - b.part || a.from - b.from);
  const merged: PlaceStretch[] = [];
  for (const stretch of all) {
    const last = merged.at(-1);
    if (last?.part === stretch.part && stretch.from <= last.to) {
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, stretch.to) };
    } else merged.push(stretch);
  }
  return merged;
}

const common = (some: readonly PlaceStretch[], others: readonly PlaceStretch[]): PlaceStretch[] =>
  some.flatMap(({ part, from, to }) =>
    others
      .filter((other) => other.part === part && other.from < to && other.to > from)
      .map((other) => ({ part, from: Math.max(from, other.from), to: Math.min(to, other.to) })),
  );
