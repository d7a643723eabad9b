/** Scripted second looks: what a call asks, and an answer with a verdict for each of its statements. */
import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Quote, Verdict } from '../../agents/verification/statement-verdict.ts';

/** A statement as the second look is shown it, with the quotes that it rests on, and their places. */
export type Asked = {
  number: number;
  /** Of a statement that is a sentence; all others say that a field has a value. */
  text?: string;
  context?: string;
  uncited?: true;
  field?: string;
  of?: string;
  value?: string | number | boolean;
  formula?: string;
  absent?: true;
  quotes: (Quote & { quote: number })[];
};

export const promptOf = ({ prompt }: LanguageModelV4CallOptions): string =>
  prompt
    .flatMap(({ content }) =>
      typeof content === 'string' ? [content] : content.flatMap((part) => ('text' in part ? [part.text] : [])),
    )
    .join('\n');

export const isSecondLook = (prompt: string): boolean => prompt.includes('You check statements about documents');

/** The statements of a second look, with the one among them that code made false. */
export function statementsAsked(prompt: string): Asked[] {
  const lines = prompt.split('\n');
  const begun = (start: string) => lines.filter((line) => line.startsWith(start)).map((line) => JSON.parse(line));
  const places = new Map(begun('{"place":').map((place) => [place.place, place]));
  const quotes = new Map(begun('{"quote":').map((quote) => [quote.quote, { ...places.get(quote.place), ...quote }]));
  return begun('{"number":').map((one) => ({ ...one, quotes: one.quotes.map((nth: number) => quotes.get(nth)) }));
}

/** The answer to a second look. */
export function verdictsOn(prompt: string, verdictOf: (asked: Asked) => Verdict['verdict'] | boolean): string {
  const verdicts = statementsAsked(prompt).map((asked) => {
    const verdict = verdictOf(asked);
    const said = typeof verdict === 'string' ? verdict : verdict ? 'supported' : 'not_stated';
    return { number: asked.number, verdict: said, words: null, why: said === 'supported' ? null : 'so it is' };
  });
  return JSON.stringify({ verdicts });
}

/** Agrees to statements whose value or sentence is one of these, and so sees through the one that code made false. */
export const agreesTo =
  (known: readonly unknown[]) =>
  ({ text, value }: Asked): boolean =>
    known.includes(text ?? value);

/** The same of values in their fields: the statement that code made false may be the value of another field. */
export const agreesToFields =
  (known: readonly { path: string; value: unknown }[]) =>
  ({ field, value }: Asked): boolean =>
    known.some((one) => one.path === field && one.value === value);
