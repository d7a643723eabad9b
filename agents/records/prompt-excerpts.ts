/** What a model is shown of a document for the fields of a record: the whole, or for groups of fields what is nearest to them. */

import type { DocumentPart } from '../../engines/documents/document.ts';
import type { FoundPassage } from '../../engines/retrieval/search.ts';
import type { ApplyRule } from '../apply-rule.ts';
import type { PromptField } from './prompt-field.ts';

/** One call: its fields, the text that it shows, and the places of that text. */
export type PromptExcerpt = { fields: readonly PromptField[]; text: string; places: string[]; isWhole: boolean };

export const WHOLE_TOKENS = 60_000;

export async function promptExcerpts({
  parts,
  name,
  fields,
  applyRule,
  wholeTokens,
}: ExcerptRequest): Promise<PromptExcerpt[]> {
  const whole = parts.map(partText).join('');
  const maxBytes = wholeTokens * TOKEN_BYTES;
  if (Buffer.byteLength(whole) <= maxBytes)
    return [{ fields, text: whole, places: parts.map(({ label }) => label), isWhole: true }];
  const passages = parts.map(({ label, text }) => ({ source: name, place: label, text }));
  const [firstPart] = parts;
  // A document says at its beginning what it is, and who with whom.
  const beginning = firstPart ? [{ place: firstPart.label, text: firstPart.text.slice(0, BEGINNING), order: -1 }] : [];
  return Promise.all(
    groupsOf(fields).map(async (group): Promise<PromptExcerpt> => {
      const results = await Promise.all(
        queriesOf(group).map((query) => applyRule('searchPassages', { query, passages, limit: NEAREST })),
      );
      const chosenTexts = [
        ...beginning,
        ...within(nearestFirst(results), Math.min(MAX_SHOWN, maxBytes) - BEGINNING),
      ].toSorted((a, b) => a.order - b.order);
      return {
        fields: group,
        text: chosenTexts.map(({ place: label, text }) => partText({ label, text })).join(''),
        places: [...new Set(chosenTexts.map(({ place }) => place))],
        isWhole: false,
      };
    }),
  );
}

/** Fewer characters make a token in scripts other than ours; bytes are counted, as the limits of models count them. */
const TOKEN_BYTES = 4;

type ExcerptRequest = {
  parts: readonly DocumentPart[];
  name: string;
  fields: readonly PromptField[];
  applyRule: ApplyRule;
  wholeTokens: number;
};

const partText = ({ label, text }: Pick<DocumentPart, 'label' | 'text'>): string => `[${label}]\n${text}\n\n`;

type PassageText = { place: string; text: string; order: number };

/** The nearest passage of each field before the second of any, so that no field is left without. */
function nearestFirst(results: readonly (readonly FoundPassage[] | undefined)[]): PassageText[] {
  const texts = new Map<string, PassageText>();
  for (let rank = 0; rank < NEAREST; rank++)
    for (const passages of results) {
      const passage = passages?.[rank];
      if (!passage) continue;
      const { place, passage: order, header = '' } = passage;
      const text = passage.text.includes(header) ? passage.text : `${header}\n${passage.text}`;
      texts.set(text, { place, text, order });
    }
  return [...texts.values()];
}

const MAX_GROUPS = 8;
const MIN_GROUP = 6;
const NEAREST = 6;
const BEGINNING = 3_000;
const MAX_SHOWN = 60_000;

/** Fields of one array stay together, as each entry is given whole. */
function groupsOf(fields: readonly PromptField[]): PromptField[][] {
  const byArray = Map.groupBy(fields, ({ path }) => (path.includes('*') ? path.slice(0, path.indexOf('*')) : ''));
  const single = byArray.get('') ?? [];
  byArray.delete('');
  const groupSize = Math.max(MIN_GROUP, Math.ceil(single.length / Math.max(1, MAX_GROUPS - byArray.size)));
  const groups = Array.from({ length: Math.ceil(single.length / groupSize) }, (_, at) =>
    single.slice(at * groupSize, (at + 1) * groupSize),
  );
  return [...groups, ...byArray.values()];
}

/** What is said of a field, in the words of its schema. */
const queriesOf = (group: readonly PromptField[]): string[] =>
  group.map(({ path, title = '', description = '' }) =>
    [path.replaceAll(/[._*]+/g, ' '), title, description].join(' ').trim(),
  );

function within<T extends { text: string }>(texts: readonly T[], maxBytes: number): T[] {
  let remainingBytes = maxBytes;
  return texts.filter(({ text }) => {
    const bytes = Buffer.byteLength(text);
    if (bytes > remainingBytes) return false;
    remainingBytes -= bytes;
    return true;
  });
}
