/** An answer in the form of a JSON Schema, with plain values out of the request that asks for it. */
type Schema = {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
};
type Json = Record<string, unknown>;

/** What a critic would change of a report that is good, and what a reader would calculate. */
const LEFT_EMPTY = new Set(['remove', 'rewrite', 'contradictions', 'computed', 'figures']);
const MAX_SENTENCE = 300;

/** The request's own numbered entries, such as documents, claims or fields, are answered one by one. */
export const filledSchema = (schema: Schema, request: string): unknown =>
  filled(schema, { entries: entriesOf(request), request });

/** `entries`: the objects of the request that the answer is about; `request`: its text. */
type About = { entries: readonly Json[]; request: string };

function filled(schema: Schema, about: About, name = ''): unknown {
  const { type, anyOf, properties, items } = schema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const given = about.entries[0]?.[name];
  if (anyOf?.some((one) => one.type === typeof given)) return given;
  const choice = anyOf?.find((one) => one.type !== 'null');
  if (choice) return filled(choice, about, name);
  if (properties) return filledObject(schema, about);
  if (items) return LEFT_EMPTY.has(name) ? [] : filledList(items, about, name);
  if (typeof given === type) return given;
  if (type === 'number') return 1;
  return type === 'boolean' ? true : sentenceOf(about);
}

/** Lists and objects that may be left out are left out. */
function filledObject({ properties = {}, required = [] }: Schema, about: About): Json {
  const wanted = Object.entries(properties).filter(
    ([name, { items, properties: inner, anyOf = [] }]) =>
      required.includes(name) || !(items || inner || anyOf.some((one) => one.items || one.properties)),
  );
  return Object.fromEntries(wanted.map(([name, schema]) => [name, filled(schema, about, name)]));
}

/** One entry for each object of the request that bears the same number, such as `claim` or `document`; otherwise one entry. */
function filledList(items: Schema, about: About, name: string): unknown[] {
  const key = keysIn(items).find((each) => about.entries.some((entry) => each in entry));
  const entries = key === undefined ? [] : about.entries.filter((entry) => key in entry && isAnswered(entry));
  if (entries.length === 0) return [filled(items, about, singular(name))];
  return entries.map((entry) => filled(items, { ...about, entries: [entry] }));
}

/** Of the fields of a record those that take any text; the others are answered with what labels and tables found. */
const isAnswered = ({ path, type, values, format, value }: Json): boolean =>
  path === undefined || value !== undefined || (type === 'string' && values === undefined && format === undefined);

const singular = (name: string): string => name.replace(/s$/, '');

/** The names by which an object and its lists refer to entries of a request: those of numbers and paths. */
const keysIn = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).flatMap(([name, { type, items }]) => {
    if (type === 'number' || name === 'path') return [name];
    return items?.type === 'number' ? [singular(name)] : items ? keysIn(items) : [];
  });

/** The first sentence of the entry's text, or of the last line of the request's documents. */
function sentenceOf({ entries: [entry = {}], request }: About): string {
  const text = String(entry.text ?? entry.question ?? request.split('\n').findLast(isOfDocument) ?? '');
  const line = text.trimStart().split('\n', 1)[0] ?? '';
  return (/^.+?[.!?](?=\s|$)/.exec(line)?.[0] ?? line).slice(0, MAX_SENTENCE);
}

/** Fields stand behind the document, as JSON below a line with a colon. */
const isOfDocument = (line: string): boolean => /[\p{L}\p{N}]/u.test(line) && !/^[[{]|:$/.test(line);

/** The objects in the lines of a request, or in the list that a line is. */
const entriesOf = (request: string): Json[] =>
  request.split('\n').flatMap((line) => {
    if (!/^[[{]/.test(line)) return [];
    try {
      return [JSON.parse(line)].flat().filter((one) => typeof one === 'object' && one !== null);
    } catch {
      return []; // a line of a document
    }
  });
