/** What a report of research says in its own words. The titles, notes and heads of tables stand in a file of each language. */

import type { ReportLanguage } from './report-language.ts';
import de from './texts/de.json' with { type: 'json' };
import en from './texts/en.json' with { type: 'json' };
import es from './texts/es.json' with { type: 'json' };
import fr from './texts/fr.json' with { type: 'json' };
import it from './texts/it.json' with { type: 'json' };

const FILES: Record<ReportLanguage, typeof en> = { en, de, fr, es, it };

/** The title of a default section; undefined in English, where it is the name as the caller wrote it. */
export const sectionTitle = (language: ReportLanguage, deliverable: string): string | undefined =>
  language === 'en' ? undefined : titlesIn(language)[deliverable];

/** The titles of a default section in all languages. */
export const titlesOf = (deliverable: string): string[] =>
  (Object.keys(FILES) as ReportLanguage[]).flatMap((language) => titlesIn(language)[deliverable] ?? []);

export type ReportTexts = ReturnType<typeof textsIn>;

/** A text with names in braces is a function of their values, and any other one a string. */
export function textsIn(language: ReportLanguage) {
  const { texts } = FILES[language];
  const rules = new Intl.PluralRules(language);
  const countText = ({ one, other }: PluralForms, count: number, values: Values = {}): string =>
    fillTemplate(rules.select(count) === 'one' ? one : other, { count, ...values });
  return {
    ...texts,
    more: (count: number) => fillTemplate(texts.more, { count }),
    samples: (sources: string) => fillTemplate(texts.samples, { sources }),
    notRead: (source: string, reason = texts.noReason) => fillTemplate(texts.notRead, { source, reason }),
    outOfScope: (count: number) => countText(texts.outOfScope, count),
    undatedScope: (count: number) => countText(texts.undatedScope, count),
    removed: (count: number) => countText(texts.removed, count),
    marked: (count: number) => countText(texts.marked, count),
    unusable: (count: number) => countText(texts.unusable, count),
    unquoted: (parts: string) => fillTemplate(texts.unquoted, { parts }),
    unanswered: (parts: string) => fillTemplate(texts.unanswered, { parts }),
    leftSections: (titles: string) => fillTemplate(texts.leftSections, { titles }),
    undated: (count: number, total: number) => countText(texts.undated, count, { all: total }),
    newest: (date: string) => fillTemplate(texts.newest, { date }),
    closed: (count: number) => countText(texts.closed, count),
    single: (count: number, total: number) => countText(texts.single, count, { all: total }),
    rowsLeft: (count: number, file: string) => countText(texts.rowsLeft, count, { file }),
    figures: (count: number, isSample: boolean) => countText(isSample ? texts.sampleFigures : texts.figures, count),
    pdfLacks: (scripts: readonly string[]) => fillTemplate(texts.pdfLacks, { scripts: scripts.join(', ') }),
    noRecord: (field: string) => (field === '' ? texts.noRecord : fillTemplate(texts.noRecordWithField, { field })),
  };
}

export const listIn = ({ and }: ReportTexts, names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${and} ${names.at(-1)}`;

const titlesIn = (language: ReportLanguage): Readonly<Record<string, string>> => FILES[language].titles;

type Values = Readonly<Record<string, string | number>>;
type PluralForms = { one: string; other: string };

const fillTemplate = (template: string, values: Values): string =>
  template.replaceAll(/\{(\w+)\}/g, (inBraces, name) => String(values[name] ?? inBraces));
