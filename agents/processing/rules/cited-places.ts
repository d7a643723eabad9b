/** Where the answers of a model stand in a document, and whether each agrees with its place as far as code can tell. */

import type { DocumentPart } from '../../../engines/documents/document.ts';
import { locateQuote } from '../../verification/evidence/quotes.ts';
import { surroundingsOf } from '../../verification/evidence/surroundings.ts';
import type { Surroundings } from '../../verification/located-quote.ts';
import { type ValueAgreement, valueAgreement } from './value-agreement.ts';

/** An answer to an instruction, with the excerpt that the model cites for it. */
type CitedAnswer = { value: string; excerpt: string };

/** `excerpt` is cut from the document; `around` is what stands around it. */
type CitedPlace = {
  label: string;
  excerpt: string;
  agreement: ValueAgreement;
  around: Omit<Surroundings, 'lines'>;
};

const MAX_EXCERPT = 400;

/**
 * The place of each excerpt in the parts that a person sees. Where an excerpt stands nowhere, it is the lines of the value,
 * which may stand there as something else.
 */
export const citedPlaces = ({ parts, cited }: { parts: readonly DocumentPart[]; cited: readonly CitedAnswer[] }) =>
  cited.map(({ value, excerpt }): CitedPlace | undefined => {
    const quoted = locateQuote(parts, excerpt);
    const located = quoted ?? locateQuote(parts, value);
    if (!located) return undefined;
    const { lines, ...around } = surroundingsOf(parts, located);
    const text = quoted ? (parts[quoted.part]?.text.slice(quoted.from, quoted.to) ?? '') : lines;
    const cut = text.slice(0, MAX_EXCERPT).toWellFormed();
    const agreement = quoted ? valueAgreement({ value, excerpt: cut }) : 'doubt';
    return { label: located.label, excerpt: cut, agreement, around };
  });
