/** The second look of a workload: it reads the quotes, and agrees to a statement whose value or figures stand in them. */

type Line = Record<string, unknown>;
type Statement = { number: number; text?: string; value?: unknown; quotes: number[] };

const linesOf = (request: string, key: string): Line[] =>
  request
    .split('\n')
    .filter((line) => line.startsWith(`{"${key}":`))
    .map((line) => JSON.parse(line));

/** Whether a request is that of a second look. */
export const isSecondLook = (request: string): boolean => /^Quotes:\n.*^Statements:\n\{"number":/ms.test(request);

export function workloadVerdicts(request: string): object {
  const places = new Map(linesOf(request, 'place').map((place) => [place.place, place]));
  const quotes = new Map(
    linesOf(request, 'quote').map((quote) => [quote.quote, JSON.stringify([quote, places.get(quote.place)])]),
  );
  const verdicts = linesOf(request, 'number').map((line) => {
    const statement = line as Statement;
    const evidence = plain(statement.quotes.map((nth) => quotes.get(nth)).join('\n'));
    return isSupported(statement, evidence)
      ? { number: statement.number, verdict: 'supported', words: null, why: null }
      : { number: statement.number, verdict: 'contradicted', words: null, why: 'The quotes have another value.' };
  });
  return { verdicts };
}

/** `1,200.50` is `1200.50`, and case and spaces do not count. */
const plain = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/(?<=\d),(?=\d{3})/g, '')
    .replaceAll(/\s+/g, ' ');

const figuresIn = (text: string): number[] => (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);

/** The text of a value has to stand in the quotes, or all figures of a number, a date or a sentence. */
function isSupported({ text, value }: Statement, evidence: string): boolean {
  if (typeof value === 'boolean') return true;
  const said = plain(JSON.stringify(String(text ?? value)).slice(1, -1));
  const isText = text === undefined && typeof value === 'string' && !/^\d{4}-\d\d-\d\d$/.test(value);
  if (isText) return evidence.includes(said);
  const figures = new Set(figuresIn(evidence));
  return figuresIn(said).every((figure) => figures.has(figure));
}
