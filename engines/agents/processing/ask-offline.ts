/** What the offline model can say to an instruction: the passages of the document that fit it best, and nothing else. */
import type { Part } from '../../documents/document.ts';
import { extract } from '../../model/extractive/extract.ts';
import type { DocumentAnswers } from './answered.ts';
import { locate } from './locate.ts';
import type { Value } from './state.ts';

const MOST_PASSAGES = 3;

export function askOffline(name: string, parts: readonly Part[], instructions: readonly string[]): DocumentAnswers {
  const passages = parts.map(({ label, text }) => ({ source: name, place: label, text }));
  const values = instructions.flatMap((rule): Value[] =>
    extract(rule, passages)
      .cited.slice(0, MOST_PASSAGES)
      .map(({ excerpt, place }) => {
        const located = locate(parts, excerpt);
        const value = excerpt.replaceAll(/\s+/g, ' ').trim();
        return {
          rule,
          value,
          text: value,
          place: located?.place ?? place,
          excerpt: located?.excerpt ?? excerpt,
          is_passage: true,
        };
      }),
  );
  return { values, calls: instructions.length, share: 1 };
}
