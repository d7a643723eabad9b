/** Statements about documents, and what a second look says of them. */

import type { Surroundings } from './located-quote.ts';

/** A passage of a document, cut from it, with what stands around it. `source` names file and place. */
export type Quote = { source: string; text: string } & Partial<Omit<Surroundings, 'lines'>>;

/** What is claimed: a sentence, or a field of a schema with its value. */
export type Assertion =
  | {
      text: string;
      /** What stands before it and may name its subject or period: a heading, or the sentence before. */
      context?: string;
      /** It cites no place, and may be its writer's own rather than what a document says. */
      uncited?: true;
      /** How figures of the text follow from figures of the quotes, with the results of code. */
      formulas?: readonly string[];
      /** The figures that are noted of the text, with unit, scale and period. */
      figures?: readonly string[];
      /** It says that the documents do not have something; the quotes are the passages that come nearest. */
      missing?: true;
      /** It is what its writer concludes for the reader, rather than what a document says. */
      advice?: true;
    }
  | {
      field: string;
      /** What the schema says of the field. */
      means?: string;
      /** The entry of a list that it is a field of. */
      of?: string;
      value: string | number | boolean;
      formula?: string;
      /** The document does not have what the field asks for; the quotes are the passages that come nearest. */
      absent?: true;
    };

export type Statement = { claim: Assertion; quotes: readonly Quote[] };

/** What a second look may say of a statement. */
export const VERDICTS = ['supported', 'contradicted', 'not_stated'] as const;

/** `words` of the quotes decide it; `why` is said of every verdict but `supported`. */
export type Verdict = {
  verdict: (typeof VERDICTS)[number];
  words?: string;
  why?: string;
  /** Of the figures of a text, the numbers from 1 of those that are wrong; they do not change the verdict on the text. */
  wrongFigures?: number[];
};
