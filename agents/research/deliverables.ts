/** The sections that a report may have, as callers name them. */

import type { ResearchInput } from '../../shared/agents/research-input.ts';
import { knownWord, RESEARCH_TYPES, wordKey } from '../../shared/agents/research-options.ts';
import { nearestName } from '../../shared/core/nearest-name.ts';
import { quotedName } from '../../shared/core/warnings.ts';
import type { ReportLanguage } from './report-language.ts';
import { sectionTitle, titlesOf } from './report-texts.ts';
import SECTIONS from './sections.json' with { type: 'json' };

/** Normalizes words as callers write them, such as `market_overview` or `Market overview`. */
export const plainWords = (text: string): string => text.replaceAll(/[\s_]+/g, ' ').trim();

/** The kinds of deliverables. Unknown names become sections with that title. */
type DeliverableKind = 'summary' | 'findings' | 'topic' | 'table' | 'charts' | 'limits' | 'sources';

export type Deliverable = {
  /** The name as the caller wrote it. */
  deliverable: string;
  title: string;
  kind: DeliverableKind;
  /** Set for topics: the key of its cues, or the words that its sentences are found by. */
  topic?: string;
  /** Of the type of the research, not named by the caller: left out of the report if it stays empty. */
  isDefault?: true;
};

export function deliverablesIn(
  { deliverables: names, research_type: type }: ResearchInput,
  language: ReportLanguage,
): Deliverable[] {
  const sectionNames = names?.length ? names : sectionsOf(type ?? '');
  const keys = sectionNames.map((text) => sectionNameOf(wordKey(text)) ?? wordKey(text));
  return sectionNames
    .filter((_, at) => keys.indexOf(keys[at] ?? '') === at)
    .map((text) => ({ ...deliverableOf(text.trim(), language), ...(names?.length ? {} : { isDefault: true }) }));
}

/** Warns about a title that is nearly the name of a known section. */
export const misspeltSections = (deliverables: readonly Deliverable[]): string[] =>
  deliverables.flatMap(({ deliverable }) => {
    const key = wordKey(deliverable);
    const nearest = sectionNameOf(key) === undefined ? nearestName(key, SECTIONS_BY_NAME.keys()) : undefined;
    if (nearest === undefined) return [];
    const name = quotedName(deliverable);
    return [`input.deliverables: ${name} became a section with this title. Did you mean ${nearest}?`];
  });

export function facetsOf(type: string): string[] {
  const knownType = knownWord(RESEARCH_TYPES, type);
  if (knownType) return TYPES[knownType].queryWords;
  return plainWords(type) === '' ? [] : [plainWords(type)];
}

/** Each section by its name. The synonyms are those beside its titles in the languages of reports. */
const SECTIONS_BY_NAME = new Map(
  Object.entries(SECTIONS.sections).map(([name, { kind, synonyms }]) => [
    name,
    { kind: kind as DeliverableKind, synonyms },
  ]),
);

/**
 * The sections of each type between the leading and the closing ones, unless the request names deliverables, and the words
 * that it adds to those of the question, as search terms.
 */
const TYPES: Record<keyof typeof RESEARCH_TYPES | 'other', { sections: string[]; queryWords: string[] }> =
  SECTIONS.researchTypes;

const sectionsOf = (type: string): string[] => [
  ...SECTIONS.leading,
  ...TYPES[knownWord(RESEARCH_TYPES, type) ?? 'other'].sections,
  ...SECTIONS.closing,
];

const sectionNameOf = (key: string): string | undefined =>
  [...SECTIONS_BY_NAME].find(
    ([name, { synonyms }]) =>
      key === name || synonyms.includes(key) || titlesOf(name).some((title) => wordKey(title) === key),
  )?.[0];

/** A known section has its title in the language of the report, in English as the caller wrote it. */
function deliverableOf(deliverable: string, language: ReportLanguage): Deliverable {
  const sectionName = sectionNameOf(wordKey(deliverable));
  const title = sectionTitle(language, sectionName ?? deliverable) ?? capitalized(plainWords(deliverable));
  const { kind = 'topic' } = SECTIONS_BY_NAME.get(sectionName ?? '') ?? {};
  return { deliverable, title, kind, ...(kind === 'topic' ? { topic: sectionName ?? plainWords(deliverable) } : {}) };
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
