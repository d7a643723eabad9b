/** What a model is shown of a document for the fields of a record: the whole, or for groups of fields what is nearest to them. */

import type { DocumentPart } from '../../engines/documents/document.ts';
import type { FoundPassage } from '../../engines/retrieval/search.ts';
import type { ApplyRule } from '../text-work.ts';
import type { AskedField } from './record-plan.ts';

/** One call: its fields, the text that it shows, and the places of that text. */
export type Showing = { fields: readonly AskedField[]; text: string; places: string[]; isWhole: boolean };

export const WHOLE_TOKENS = 60_000;
/** Fewer characters make a token in scripts other than ours; bytes are counted, as the limits of models count them. */
const TOKEN_BYTES = 4;

type Showable = {
  parts: readonly DocumentPart[];
  name: string;
  fields: readonly AskedField[];
  applyRule: ApplyRule;
  wholeTokens: number;
};

const shownPart = ({ label, text }: Pick<DocumentPart, 'label' | 'text'>): string => `[${label}]\n${text}\n\n`;

export async function showingsOf({ parts, name, fields, applyRule, wholeTokens }: Showable): Promise<Showing[]> {
  const whole = parts.map(shownPart).join('');
  const most = wholeTokens * TOKEN_BYTES;
  if (Buffer.byteLength(whole) <= most)
    return [{ fields, text: whole, places: parts.map(({ label }) => label), isWhole: true }];
  const passages = parts.map(({ label, text }) => ({ source: name, place: label, text }));
  const [first] = parts;
  // A document says at its beginning what it is, and who with whom.
  const beginning = first ? [{ place: first.label, text: first.text.slice(0, BEGINNING), order: -1 }] : [];
  return Promise.all(
    groupsOf(fields).map(async (group): Promise<Showing> => {
      const found = await Promise.all(
        queriesOf(group).map((query) => applyRule('searchPassages', { query, passages, limit: NEAREST })),
      );
      const shown = [...beginning, ...within(nearestFirst(found), Math.min(MAX_SHOWN, most) - BEGINNING)].toSorted(
        (a, b) => a.order - b.order,
      );
      return {
        fields: group,
        text: shown.map(({ place: label, text }) => shownPart({ label, text })).join(''),
        places: [...new Set(shown.map(({ place }) => place))],
        isWhole: false,
      };
    }),
  );
}

type ShownText = { place: string; text: string; order: number };

/** The nearest passage of each field before the second of any, so that no field is left without. */
function nearestFirst(found: readonly (readonly FoundPassage[] | undefined)[]): ShownText[] {
  const texts = new Map<string, ShownText>();
  for (let rank = 0; rank < NEAREST; rank++)
    for (const passages of found) {
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
function groupsOf(fields: readonly AskedField[]): AskedField[][] {
  const byArray = Map.groupBy(fields, ({ path }) => (path.includes('*') ? path.slice(0, path.indexOf('*')) : ''));
  const single = byArray.get('') ?? [];
  byArray.delete('');
  const most = Math.max(MIN_GROUP, Math.ceil(single.length / Math.max(1, MAX_GROUPS - byArray.size)));
  const groups = Array.from({ length: Math.ceil(single.length / most) }, (_, at) =>
    single.slice(at * most, (at + 1) * most),
  );
  return [...groups, ...byArray.values()];
}

/** What is said of a field, in the words of its schema. */
const queriesOf = (group: readonly AskedField[]): string[] =>
  group.map(({ path, title = '', description = '' }) =>
    [path.replaceAll(/[._*]+/g, ' '), title, description].join(' ').trim(),
  );

function within<T extends { text: string }>(texts: readonly T[], most: number): T[] {
  let left = most;
  return texts.filter(({ text }) => {
    const bytes = Buffer.byteLength(text);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}
