/** Finds what a cited place means in a document: a label of its parts, pages, rows, cells or lines, or a heading of its text. */
import { headingMarks, type TextBlock, walkBlocks } from '../../engines/retrieval/blocks.ts';
import { plainText } from '../../engines/retrieval/passages.ts';
import { partsWithinLimit } from '../parts-within-limit.ts';

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
export function matchPlace(parts: readonly PlacePart[], citedPlace: string): PlaceMatch | undefined {
  const document = documentOf(parts);
  const matches = foldedPlace(citedPlace.slice(0, MAX_PLACE))
    .split(';', MAX_PLACES)
    .map(foldedPlace)
    .flatMap((place) => matchNames(document, place, MAX_COMMAS) ?? []);
  const [firstMatch, ...laterMatches] = matches;
  return (
    firstMatch &&
    laterMatches.reduce(
      (combined, match) => joinedMatch(combined, match, union(combined.stretches, match.stretches)),
      firstMatch,
    )
  );
}

type PartLabel = { label: string; counted: CountedPlace | undefined };

type PlaceDocument = {
  parts: readonly PlacePart[];
  labels: readonly PartLabel[];
  /** Its headings and numbered paragraphs, which are looked up only if no label fits. */
  marks(): readonly Mark[];
};

function documentOf(parts: readonly PlacePart[]): PlaceDocument {
  return {
    parts,
    labels: parts.map(({ place }) => ({
      label: foldedPlace(place),
      counted: parseCounted(lastName(foldedPlace(place))),
    })),
    marks: () => cachedMarks(parts),
  };
}

/** Case, spaces, dashes, quotes and final points do not tell two places apart. */
const foldedPlace = (place: string): string =>
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
type CountedPlace = { unit: Unit; ranges: { from: number; to: number }[] };
type NameMatch = { place: string; stretches: PlaceStretch[]; unit?: Unit };

function matchNames(document: PlaceDocument, name: string, commas: number): PlaceMatch | undefined {
  if (name === '') return undefined;
  const whole = matchName(document, name);
  if (whole) return { ...whole, unmatched: [] };
  const divisions = [...name.matchAll(/\s*[,:>(/)]\s+|\s+[-(]\s*/g)].slice(0, commas);
  for (const {
    index,
    0: { length },
  } of divisions.toReversed()) {
    const head = matchName(document, foldedPlace(name.slice(0, index)));
    if (head) return narrowedMatch(document, head, foldedPlace(name.slice(index + length)), commas - 1);
  }
  const [firstDivision] = divisions;
  const behind =
    firstDivision &&
    matchNames(document, foldedPlace(name.slice(firstDivision.index + firstDivision[0].length)), commas - 1);
  return behind && { ...behind, unmatched: [name.slice(0, firstDivision?.index), ...behind.unmatched] };
}

/** `page 3, page 5` are two places; `page 3, section 4` is what of the section stands on the page. */
function narrowedMatch(
  document: PlaceDocument,
  headMatch: NameMatch,
  tail: string,
  commas: number,
): PlaceMatch | undefined {
  const whole = { ...headMatch, unmatched: [] };
  const narrower = matchNames(document, tail, commas);
  if (!narrower) return { ...whole, unmatched: tail === '' ? [] : [tail] };
  const isList = headMatch.unit !== undefined && headMatch.unit === parseCounted(tail)?.unit;
  const stretches = isList
    ? union(headMatch.stretches, narrower.stretches)
    : intersection(headMatch.stretches, narrower.stretches);
  return stretches.length === 0 ? undefined : joinedMatch(whole, narrower, stretches);
}

const joinedMatch = (head: PlaceMatch, tail: PlaceMatch, stretches: PlaceStretch[]): PlaceMatch => ({
  place: beginsWith(tail.place, head.place) ? tail.place : `${head.place}, ${tail.place}`,
  stretches,
  unmatched: [...head.unmatched, ...tail.unmatched],
});

/** Labels go before headings: a label is what the product itself calls a place. */
function matchName(document: PlaceDocument, name: string): NameMatch | undefined {
  if (name === '') return undefined;
  const exact = matchByLabel(document, (label) => isLabel(label, name));
  if (exact) return { ...exact, ...unitOf(name) };
  const counted = parseCounted(name);
  if (counted) {
    const stretches = stretchesByCount(document, counted);
    if (stretches.length > 0) return { ...toNameMatch(document, stretches), unit: counted.unit };
    // A page that the document does not have is none of its headings either.
    if (counted.unit !== 'paragraph') return undefined;
  }
  return (
    matchByCells(document, name) ??
    matchByLabel(document, (label) => beginsWith(label, name)) ??
    matchByLabel(document, (label) => beginsWith(label.replace(/^\p{L}+ /u, ''), name)) ??
    matchByHeading(document, name)
  );
}

const unitOf = (name: string): { unit?: Unit } => {
  const counted = parseCounted(name);
  return counted ? { unit: counted.unit } : {};
};

/** `sheet Costs` also names `sheet Costs, rows 1 to 60 of 300`, and `page 3` what is hidden on the page. */
const isLabel = (label: string, name: string): boolean =>
  label === name || label.startsWith(`${name},`) || /^ \((?!\d+\))/.test(afterStart(label, name));

const afterStart = (text: string, start: string): string => (text.startsWith(start) ? text.slice(start.length) : '');

/** `section 4` begins `section 4. Deposit` and `section 4.1 Amount`, but not `section 41`. */
const beginsWith = (text: string, start: string): boolean =>
  text === start || /^[^\p{L}\p{N}]/u.test(afterStart(text, start));

function matchByLabel(document: PlaceDocument, fits: (label: string) => boolean): NameMatch | undefined {
  const stretches = document.labels.flatMap(({ label }, part) => (fits(label) ? [wholePart(document, part)] : []));
  return stretches.length === 0 ? undefined : toNameMatch(document, stretches);
}

const wholePart = ({ parts }: PlaceDocument, part: number): PlaceStretch => ({
  part,
  from: 0,
  to: parts[part]?.text.length ?? 0,
});

const toNameMatch = ({ parts }: PlaceDocument, stretches: PlaceStretch[]): NameMatch => {
  const labels = [...new Set(stretches.map(({ part }) => parts[part]?.place ?? ''))];
  const isShort = labels.length <= 3;
  return { place: isShort ? labels.join(', ') : `${labels[0]} … ${labels.at(-1)}`, stretches };
};

const COUNTED = /^(pp?|page|slide|line|row|paragraph)s?\.? (\d.*)$/;
/** Numbers and what parts them have no character in common, so that no list takes long. */
const NUMBERS = /^\d+(?:(?:-| to | and |, ?| ?& ?| - )\d+)*$/;
const UNITS: Record<string, Unit> = { p: 'page', pp: 'page' };

/** The numbers of `pages 3-5`, `lines 10 to 40`, `pages 3, 5 and 7` or `rows 1 to 60 of 1,300`. */
function parseCounted(place: string): CountedPlace | undefined {
  const [, word = '', counted = ''] = COUNTED.exec(place) ?? [];
  const list = counted.replaceAll(/(\d),(?=\d{3}(?!\d))/g, '$1').replace(/ of \d+$/, '');
  if (!NUMBERS.test(list)) return undefined;
  const ranges = list
    .split(/ and |, ?| ?& ?/)
    .map((range) => range.split(/ ?- ?| to /).map(Number))
    .map(([from = Number.NaN, to = from]) => ({ from, to }));
  return { unit: UNITS[word] ?? (word as Unit), ranges };
}

function stretchesByCount(document: PlaceDocument, { unit, ranges }: CountedPlace): PlaceStretch[] {
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
    (rowLabel) =>
      rowLabel.counted?.unit === 'row' && isLabel(label, rowLabel.label.replace(/, rows [\d,]+ to .*$/, '')),
  );

/** The wanted lines of a part; the whole of one that was divided otherwise than its label says. */
function linesOf(
  document: PlaceDocument,
  part: number,
  within: CountedPlace['ranges'][number],
  ranges: CountedPlace['ranges'],
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
function matchByCells(document: PlaceDocument, name: string): NameMatch | undefined {
  const [, sheet, from = '', to = from] = CELLS.exec(name) ?? [];
  if (from === '') return undefined;
  const inRows = stretchesByCount(document, { unit: 'row', ranges: [{ from: Number(from), to: Number(to) }] });
  const stretches = inRows.filter(({ part }) => {
    const label = document.labels[part]?.label ?? '';
    return sheet === undefined ? !label.startsWith('section ') : isLabel(label, `sheet ${sheet}`);
  });
  return stretches.length === 0 ? undefined : toNameMatch(document, stretches);
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

const marksCache = new WeakMap<readonly PlacePart[], Mark[]>();

/** Many places of one document are looked up. */
function cachedMarks(parts: readonly PlacePart[]): Mark[] {
  const marks = marksCache.get(parts) ?? marksOf(parts);
  marksCache.set(parts, marks);
  return marks;
}

function marksOf(parts: readonly PlacePart[]): Mark[] {
  const marks: Mark[] = [];
  let heading: TextBlock['heading'];
  for (const [part, { text, hidden }] of partsWithinLimit(parts, MAX_WALKED).entries()) {
    if (hidden) continue;
    heading = walkBlocks({ text, code: false, heading }, (block) => {
      if (block.kind === 'row' || block.kind === 'code') return;
      const isHeading = block.kind === 'heading';
      const title = plainText(text.slice(block.start, Math.min(block.end, block.start + MAX_TITLE)));
      const key = foldedPlace(title);
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

function matchByHeading(document: PlaceDocument, name: string): NameMatch | undefined {
  const numbering = numberingOf(name);
  const bare = name.replace(/^section /, '');
  const rules: ((mark: Mark) => boolean)[] = [
    ({ isHeading, key }) => isHeading && (key === name || key === bare),
    ({ isHeading, key }) => isHeading && (beginsWith(key, name) || beginsWith(key, bare)),
    (mark) => mark.word !== '' && mark.word === numbering.word && hasNumber(mark, numbering),
    (mark) => mark.isHeading && hasNumber(mark, numbering),
    // A bare number is more likely an item of a list than a clause.
    (mark) => (numbering.word !== '' || numbering.number.includes('.')) && hasNumber(mark, numbering),
  ];
  const marks = document.marks();
  for (const isMatch of rules) {
    const fitting = marks.flatMap((mark, at) => (isMatch(mark) ? [at] : [])).slice(0, MAX_STRETCHES);
    const firstMark = marks[fitting[0] ?? -1];
    if (!firstMark) continue;
    const stretches = fitting.reduce<PlaceStretch[]>(
      (merged, at) => union(merged, stretchesOf(document, marks, at)),
      [],
    );
    const label = document.parts[firstMark.part]?.place ?? '';
    const place = foldedPlace(label).includes(firstMark.key) ? label : `${label}, ${firstMark.title}`;
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
    const nextMark = marks[next];
    const isSameKind =
      isNumbered && nextMark?.number !== '' && nextMark?.word === mark.word && depthOf(nextMark) <= depthOf(mark);
    // A list below a heading does not end it, but `Item 8` that is no heading ends `Item 7`.
    if (
      nextMark?.isHeading
        ? isSameKind || nextMark.level < mark.level + (isNumbered ? 0 : 1)
        : isSameKind && isWeak(mark)
    )
      return nextMark;
  }
  return undefined;
}

const isWeak = ({ isHeading, word }: Mark): boolean => !isHeading || word !== '';

function stretchesOf(document: PlaceDocument, marks: readonly Mark[], at: number): PlaceStretch[] {
  const { part: firstPart, start } = marks[at] ?? { part: 0, start: 0 };
  const end = endOf(marks, at);
  const lastPart = end ? end.part : document.parts.length - 1;
  return Array.from({ length: lastPart - firstPart + 1 }, (_, nth) => wholePart(document, firstPart + nth))
    .filter(({ part }) => !document.parts[part]?.hidden)
    .map(({ part, to }) => ({
      part,
      from: part === firstPart ? start : 0,
      to: end && part === end.part ? end.start : to,
    }))
    .filter(({ from, to }) => to > from);
}

/** Stretches that overlap or touch become one. */
function union(stretches: readonly PlaceStretch[], moreStretches: readonly PlaceStretch[]): PlaceStretch[] {
  const sorted = [...stretches, ...moreStretches].toSorted((a, b) => a.part - b.part || a.from - b.from);
  const merged: PlaceStretch[] = [];
  for (const stretch of sorted) {
    const last = merged.at(-1);
    if (last?.part === stretch.part && stretch.from <= last.to) {
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, stretch.to) };
    } else merged.push(stretch);
  }
  return merged;
}

const intersection = (stretches: readonly PlaceStretch[], moreStretches: readonly PlaceStretch[]): PlaceStretch[] =>
  stretches.flatMap(({ part, from, to }) =>
    moreStretches
      .filter((candidate) => candidate.part === part && candidate.from < to && candidate.to > from)
      .map((candidate) => ({ part, from: Math.max(from, candidate.from), to: Math.min(to, candidate.to) })),
  );
