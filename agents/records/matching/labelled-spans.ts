/** The texts of a document that stand beside, below or behind a label. */

import type { MarkdownCell } from '../../values/tables.ts';
import { bareLabel, type LabelKind, labelKey, labelKindOf } from '../field-words.ts';
import { type Line, oncePerDocument, type ParsedDocument, type TextSpan } from './parsed-document.ts';

export type LabelledSpan = {
  label: string;
  key: string;
  kind: LabelKind | undefined;
  line: Line;
  span: TextSpan;
  reason: string;
  score: number;
  column?: string;
  /** A sentence says it: it may speak of another paper. */
  isInSentence?: true;
};

export const MAX_LABEL = 60;

export const MAX_TEXT = 300;

/** Texts between wide gaps. */
export const SEGMENT = /\S+(?:[ \u00a0]\S+)*/gu;

/** The labelled spans of a document, by the key of the label and by its kind. */
export const spansByLabel = oncePerDocument(({ lines }: ParsedDocument) => {
  const spans = lines.flatMap((line, at) =>
    (line.cells ? inRow(lines, at) : onLine(lines, at)).flatMap((newSpan): LabelledSpan[] => {
      if (newSpan.span.text.trim() === '' || !isLabel(newSpan.label)) return [];
      return [
        { ...newSpan, line: newSpan.line ?? line, key: labelKey(newSpan.label), kind: labelKindOf(newSpan.label) },
      ];
    }),
  );
  return { byKey: Map.groupBy(spans, ({ key }) => key), byKind: Map.groupBy(spans, ({ kind }) => kind) };
});

const MAX_LABEL_WORDS = 7;

const isLabel = (text: string): boolean =>
  text.length <= MAX_LABEL && /\p{L}/u.test(text) && text.split(/\s+/).length <= MAX_LABEL_WORDS;

const MAX_COLUMNS_WITH_LABELS = 4;

/** The label may be bold, as in lists of Markdown: `**Total:** 12.50`. */
const OWN_LABEL =
  /^(?<bold>\*\*|__)?(?<label>[\p{L}#][^:|]{0,59}?)(?::(?:\k<bold>\s+|\s*)|\k<bold>:\s*|<br>)(?<value>\S.*)$/u;

/** `Order no. 4711`, also with a wide gap before the number. */
const NUMBERED =
  /(?<![\p{L}.'’-])(?<label>\p{L}[\p{L}.'’-]*(?: [\p{L}.'’-]+){0,4} {1,4}(?:no|nr|num|number|nummer|numéro|número|n[°º]|#)\.?)(?: ?:)? {1,4}(?<value>(?=[\w./-]*\d)[\p{L}\d][\p{L}\d./-]*)/giu;
/** The words before the first figure or sign of a currency. */
const PREFIX =
  /^(?<label>\p{L}[^\d:€£$¥₹]{1,58}?)[\s.…_]*(?=[-−(+]?(?:[€£$¥₹]|(?<!\p{L})[A-Z]{2,3}[ \u00a0]?\$?\d|\d))/u;
/** What stands between a label and its value on a line: wide gaps, tabs, rows of points. */
const LEADERS = /\t|(?<=\S)[ ]?(?:\.{3,}|…+|_{3,})[ ]?/g;

/** Of two figures behind one label, as in `TOTAL:   144.68   8.68`, only the heads of their columns tell which is meant. */
const FIGURE = /^[^\p{L}]*\d[^\p{L}%]*$/u;
const areFigures = (behind: readonly TextSpan[]): boolean =>
  behind.length === 2 && behind.every(({ text }) => FIGURE.test(text));

const IN_SENTENCE = { score: 1.5, isInSentence: true } as const;

const namesNext = (text: string, isNamed: boolean): boolean => isNamed || !/\d/.test(bareLabel(text));

/** A rate between a label and its amount. */
const RATE_BEFORE = /\d+(?:[.,]\d+)?\s?%(?=.*\d)/g;

/** `The fare of 40 was refused`: a sentence, whose end may deny its beginning. */
const LINKING_WORD =
  / (?:of|is|was|are|were|to|von|ist|war|beträgt|betrug|de|est|était|es|fue|di|è|era|van|bedraagt)$/iu;
const FURTHER_WORDS = /\p{Ll}{2,}\s+\p{Ll}{2,}/u;

const at0 = ({ text, start }: TextSpan, line: Line): TextSpan => ({ text, start: line.start + start });

type NewSpan = Omit<LabelledSpan, 'key' | 'kind' | 'line'> & { line?: Line };

/** A label left of the cell, in the cell itself, or in the head of its column. */
function inRow(lines: readonly Line[], at: number): NewSpan[] {
  const line = lines[at] as Line;
  const { cells = [], head, isLastRow = false } = line;
  const isOnlyRow = isLastRow && lines[at - 1]?.head === undefined;
  return cells.flatMap((cell, column): NewSpan[] => {
    const ownSpan = ownLabel(cell);
    if (ownSpan) return [ownSpan];
    const left = cells.slice(0, column).findLast(({ text }) => text.trim() !== '');
    const label = head?.[column]?.text ?? '';
    return [...(left ? leftOf(line, cell, left) : []), ...inColumn(cell, label, isOnlyRow)];
  });
}

/** A text with figures is a value, and in a wide table the text of another column is one, unless the row has no more. */
function leftOf({ cells = [], head, namesColumns }: Line, cell: TextSpan, left: MarkdownCell): NewSpan[] {
  const isValue = /\d/.test(bareLabel(left.text).replace(/\([^)]*\)/g, ''));
  const isPair = cells.filter(({ text }) => text.trim() !== '').length === 2;
  if (isValue || (!isPair && (namesColumns || cells.length > MAX_COLUMNS_WITH_LABELS))) return [];
  const isInColumn = cells.length > 2 && (head?.[cells.indexOf(left)]?.text ?? '') !== '';
  return [{ label: left.text, span: cell, reason: `right of "${left.text}"`, score: isInColumn ? 2.4 : 3 }];
}

function inColumn(cell: TextSpan, head: string, isOnlyRow: boolean): NewSpan[] {
  if (head === '') return [];
  return [{ label: head, span: cell, reason: `in the column "${head}"`, score: isOnlyRow ? 2.6 : 2.2, column: head }];
}

function ownLabel({ text, start }: TextSpan): NewSpan | undefined {
  const { label = '', value = '' } = OWN_LABEL.exec(text)?.groups ?? {};
  if (value === '' || /^\/\//.test(value)) return undefined;
  return {
    label,
    span: { text: value, start: start + text.length - value.length },
    reason: `right of "${label}"`,
    score: 3,
  };
}

function onLine(lines: readonly Line[], at: number): NewSpan[] {
  const line = lines[at] as Line;
  const text = line.text.slice(0, 2_000).replaceAll(LEADERS, (leader) => ' '.repeat(leader.length));
  const segments = Array.from(text.matchAll(SEGMENT), ({ index, 0: written }) => ({ text: written, start: index }));
  const numbered = Array.from(
    text.matchAll(NUMBERED),
    ({ index, 0: whole, groups: { label = '', value = '' } = {} }) => ({
      label: label.replaceAll(/ +/g, ' '),
      span: at0({ text: value, start: index + whole.length - value.length }, line),
      reason: `behind "${label}"`,
      score: 2.9,
    }),
  );
  const spans = segments.flatMap((segment, nth): NewSpan[] => {
    const from = line.start + segment.start;
    const ownSpan = ownLabel({ text: segment.text, start: from });
    if (ownSpan) return [ownSpan];
    const next = segments[nth + 1];
    const label = segment.text.replace(/\s*:$/, '');
    const isNamed = label !== segment.text;
    if (areFigures(segments.slice(nth + 1, nth + 3))) return [];
    if (next && namesNext(label, isNamed))
      return [{ label, span: at0(next, line), reason: `right of "${label}"`, score: isNamed ? 3 : 2.8 }];
    const before = beforeFigure(segment.text, from);
    if (before.length > 0) return before;
    return next || nth > 0 ? [] : belowLabel(lines, at, { label, isNamed });
  });
  return [...numbered, ...spans, ...belowColumns(lines, at, segments)];
}

/** The words before the first figure of a text name it. */
function beforeFigure(whole: string, from: number): NewSpan[] {
  const text = whole.replaceAll(RATE_BEFORE, (rate) => ' '.repeat(rate.length));
  const prefix = PREFIX.exec(text);
  const label = prefix?.groups?.label?.trim() ?? '';
  if (!prefix || label === '') return [];
  const valueText = text.slice(prefix[0].length);
  const span = { text: valueText, start: from + prefix[0].length };
  const inSentence = LINKING_WORD.test(label) && FURTHER_WORDS.test(valueText) ? IN_SENTENCE : {};
  return [{ label, span, reason: `right of "${label}"`, score: 2.6, ...inSentence }];
}

/** A label alone on its line names the next one. */
function belowLabel(
  lines: readonly Line[],
  at: number,
  { label, isNamed }: { label: string; isNamed: boolean },
): NewSpan[] {
  const next = lines[at + 1];
  if (!next || next.cells || next.part !== lines[at]?.part || next.text.length > MAX_TEXT || /\d/.test(label))
    return [];
  return [
    {
      label,
      line: next,
      span: { text: next.text, start: next.start },
      reason: `below "${label}"`,
      score: isNamed ? 2.5 : 1.8,
    },
  ];
}

/** Labels between wide gaps, with the values below them in the same order. */
function belowColumns(lines: readonly Line[], at: number, segments: readonly TextSpan[]): NewSpan[] {
  const next = lines[at + 1];
  if (segments.length < 2 || !next || next.cells || segments.some(({ text }) => /\d/.test(text))) return [];
  const below = Array.from(next.text.matchAll(SEGMENT), ({ index, 0: text }) => ({ text, start: index }));
  if (below.length !== segments.length) return [];
  return segments.map(({ text: label }, column) => ({
    label,
    line: next,
    span: at0(below[column] as TextSpan, next),
    reason: `below "${label}"`,
    score: 2.3,
  }));
}
