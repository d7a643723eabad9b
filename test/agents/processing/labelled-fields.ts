/** The evaluation of named rules: documents that other programs made, what each says, and how a run compares with that. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { applyRules, type FoundValue } from '../../../agents/records/matching/named-rules.ts';
import type { DocumentPart } from '../../../engines/documents/document.ts';
import { RULE_NAMES, type RuleName } from '../../../shared/agents/rule-names.ts';
import { oneLine } from '../../../shared/core/one-line.ts';
import { samples } from '../../engines/documents/samples.ts';

const FOLDER = join(import.meta.dirname, 'fields');
const DOCUMENTS = join(FOLDER, 'documents');

type Labels = Partial<Record<RuleName, string[]>>;
export type Labelled = { name: string; labels: Labels; isHeldOut: boolean; files: { file: string; bytes(): Buffer }[] };

/** Of the readers' samples, the forms that are evaluated here as well. */
const SAMPLES = [
  'board-minutes-march.chromium.pdf',
  'budget-2026.libreoffice.xls',
  'budget-2026.openpyxl.xlsx',
  'complaint-letter.fpdf2.pdf',
  'complaint-letter.pandoc.rtf',
  'customers.windows-1252.csv',
  'cv-marta-lindqvist.libreoffice.docx',
  'employment-contract.libreoffice.odt',
  'employment-contract.libreoffice.rtf',
  'invoice.python-docx.docx',
  'invoice.reportlab.pdf',
  'lab-protocol.libreoffice.doc',
  'lease-contract.libreoffice.doc',
  'lease-contract.libreoffice.pdf',
  'notice.scan.jpeg',
  'orders.minified.json',
  'press-release.reportlab-columns.pdf',
  'receipt.pillow.png',
  'timesheet.odfpy.ods',
  'travel-policy.chromium.pdf',
];

export function readLabelled(): Labelled[] {
  const all: Record<string, Labels> = parse(readFileSync(join(FOLDER, 'labels.yaml'), 'utf8'));
  const made = readdirSync(DOCUMENTS).map((file) => ({ file, bytes: () => readFileSync(join(DOCUMENTS, file)) }));
  const files = [...made, ...samples.filter(({ file }) => SAMPLES.includes(file))];
  return Object.entries(all)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, labels], at) => ({
      name,
      labels,
      isHeldOut: at % 2 === 1,
      files: files.filter(({ file }) => file.startsWith(`${name}.`)),
    }));
}

export type Judged = {
  file: string;
  rule: RuleName;
  /** Labelled and found, labelled and not found, found and not labelled. */
  right: string[];
  missed: string[];
  wrong: string[];
  badCitations: FoundValue[];
};

/** One document in one form, rule by rule. */
export async function judge(file: string, labels: Labels, parts: DocumentPart[]): Promise<Judged[]> {
  const rules = RULE_NAMES.filter((rule) => labels[rule] !== undefined);
  const found = await applyRules(parts, rules);
  return rules.map((rule) => {
    const wanted = new Map((labels[rule] ?? []).map((value) => [bare(value), value]));
    const values = new Map(found.filter((one) => one.rule === rule).map((one) => [bare(one.value), one.value]));
    return {
      file,
      rule,
      right: [...wanted].flatMap(([key, value]) => (values.has(key) ? [value] : [])),
      missed: [...wanted].flatMap(([key, value]) => (values.has(key) ? [] : [value])),
      wrong: [...values].flatMap(([key, value]) => (wanted.has(key) ? [] : [value])),
      badCitations: found.filter((one) => one.rule === rule && !isThere(one, parts)),
    };
  });
}

/** The excerpt stands in the very place that is named, and the value's own text in the excerpt. */
const isThere = ({ place, excerpt, text }: FoundValue, parts: DocumentPart[]): boolean =>
  parts.some((part) => part.label === place && part.text.includes(excerpt)) &&
  oneLine(excerpt).includes(oneLine(text).slice(0, 200));

/** Marks at the ends, case and the kind of space do not count. */
const bare = (text: string): string =>
  oneLine(text)
    .toLowerCase()
    .replace(/^[\s"“„*]+|[\s.,;"”*]+$/g, '');

export type Score = {
  labelled: number;
  found: number;
  right: number;
  recall: number;
  precision: number;
  badCitations: number;
};

export function scoreOf(judged: readonly Judged[]): Score {
  const sum = (count: (one: Judged) => number) => judged.reduce((all, one) => all + count(one), 0);
  const right = sum((one) => one.right.length);
  const wanted = right + sum((one) => one.missed.length);
  const found = right + sum((one) => one.wrong.length);
  return {
    labelled: wanted,
    found,
    right,
    recall: wanted === 0 ? 1 : right / wanted,
    precision: found === 0 ? 1 : right / found,
    badCitations: sum((one) => one.badCitations.length),
  };
}
