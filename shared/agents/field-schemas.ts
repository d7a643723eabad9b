/** Field schemas that several inputs share. Errors say what is expected and never repeat the input. */
import * as v from 'valibot';
import { nearestName } from '../core/nearest-name.ts';
import { REASONING_EFFORTS } from '../tasks/details.ts';
import { ACCEPTED_STATUSES, ON_MISSING, parseOutputSchema } from '../tasks/output-schema.ts';

/** The length of a short text, such as a kind or a place. */
const MAX_WORD = 200;
const MAX_ENTRIES = 50;
const MAX_ADDRESS = 2_048;

export const words = (max = MAX_WORD) =>
  v.pipe(
    v.string('must be a string'),
    v.regex(/\S/, 'must not be empty'),
    v.maxCodePoints(max, `must have at most ${max} characters`),
  );

/** For mail headers: no line breaks and no invisible characters. */
export const line = (max = MAX_WORD) =>
  v.pipe(
    words(max),
    v.check((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), 'must be one line without control characters'),
  );

/** A word of a closed list, ignoring case. */
export const oneOf = <const T extends readonly string[]>(choices: T) =>
  v.pipe(
    v.unknown(),
    v.transform((value) => inCaseOf(choices, value)),
    v.picklist(choices, `must be one of ${choices.join(', ')}`),
  );

/** A word of an open list: known words are found in any case, and other words are accepted as well. */
export const openWord = <const T extends readonly string[]>(choices: T) =>
  v.union([oneOf(choices), words()], `must be a string of 1 to ${MAX_WORD} characters`);

/** The known words of an open list, and the one that absent and other words mean. */
export type OpenWord<T extends string> = { choices: readonly T[]; fallback: T };

export const wordIn = <T extends string>({ choices, fallback }: OpenWord<T>, text: string | null | undefined): T =>
  sameWord(choices, text ?? '') ?? fallback;

const inCaseOf = (choices: readonly string[], value: unknown): unknown =>
  typeof value === 'string' ? (sameWord(choices, value) ?? value) : value;

export const sameWord = <T extends string>(choices: readonly T[], text: string): T | undefined =>
  choices.find((word) => word.toLowerCase() === text.toLowerCase());

export const wholeFrom = (min: number, max: number) => {
  const rule = `must be a whole number from ${min} to ${max}`;
  return v.pipe(v.number(rule), v.integer(rule), v.minValue(min, rule), v.maxValue(max, rule));
};

export const list = <T extends v.GenericSchema>(entry: T, { min = 0, max = MAX_ENTRIES } = {}) =>
  v.pipe(
    v.array(entry, 'must be an array'),
    v.minLength(min, `must have at least ${min} ${min === 1 ? 'entry' : 'entries'}`),
    v.maxLength(max, `must have at most ${max} entries`),
  );

/** In JavaScript an array is an object too, but not for a caller. */
export const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const IS_OBJECT = v.check(isObject, ({ input }) => (input === null ? 'is required' : 'must be an object'));

export const inside = <T extends v.ObjectEntries>(entries: T) =>
  v.pipe(v.unknown(), IS_OBJECT, v.object(entries, 'is required'));

/**
 * An object that rejects unknown fields, for options whose misspelling would do something that cannot be undone. `what`:
 * the object in a sentence.
 */
export const exactly = <T extends v.ObjectEntries>(what: string, entries: T) =>
  v.pipe(
    v.unknown(),
    IS_OBJECT,
    v.strictObject(entries, ({ expected, input }) =>
      expected === 'never' ? `is not a field of ${what}${nearestHint(String(input), entries)}` : 'is required',
    ),
  );

function nearestHint(name: string, entries: v.ObjectEntries): string {
  const names = Object.keys(entries);
  const nearest = nearestName(name, names);
  return nearest === undefined ? `, which are ${names.join(', ')}` : `; did you mean ${nearest}?`;
}

/** Absent and null mean the same. */
export const maybe = <T extends v.GenericSchema>(schema: T) => v.nullish(schema);

/** The model options that the input of every agent has. */
export const modelFields = () => ({ model: maybe(words()), reasoning_effort: maybe(oneOf(REASONING_EFFORTS)) });

/** Descriptions for the contract. */
export const modelTexts = () => ({
  model:
    'A model of your organization, for the whole task; default: its strong model, and its cheap one for short work.',
  reasoning_effort:
    'How much the model reasons before it answers: `minimal` to `high`; default: as the provider decides.',
});

/** A schema in the documented subset. The error names the first fault by its path and keyword. */
const outputSchema = (options: Parameters<typeof parseOutputSchema>[1]) =>
  v.pipe(
    v.record(v.string(), v.unknown(), 'must be a JSON Schema: an object with "type": "object"'),
    v.rawCheck(({ dataset, addIssue }) => {
      const parsed = dataset.typed && parseOutputSchema(dataset.value, options);
      if (!parsed || !('fault' in parsed)) return;
      const { path, message } = parsed.fault;
      const [firstKey, ...otherKeys] = path.map(
        (key) => ({ type: 'object', origin: 'value', input: {}, key, value: key }) as const,
      );
      addIssue(firstKey ? { message, path: [firstKey, ...otherKeys] } : { message });
    }),
  );

/** The options for extracting a record. */
export const recordFields = (options: Parameters<typeof parseOutputSchema>[1] = {}) => ({
  output_schema: maybe(outputSchema(options)),
  on_missing: maybe(oneOf(ON_MISSING)),
  accept: maybe(list(oneOf(ACCEPTED_STATUSES), { min: 1 })),
});

/** Descriptions for the contract; each agent describes its schema itself. */
export const recordTexts = () => ({
  on_missing:
    '`fail` ends the task as failed, with its partial records, if a wanted field has no value; default: `null`.',
  accept:
    'The statuses of fields that are good enough; a field with another one becomes null. Default: all but `unverified`.',
});

export const address = v.pipe(
  v.string('must be a string'),
  v.maxLength(MAX_ADDRESS, `must have at most ${MAX_ADDRESS} characters`),
);

export const httpsAddress = v.pipe(
  address,
  v.check((text) => isHttps(URL.parse(text)), 'must be an absolute HTTPS URL without credentials'),
);

const isHttps = (url: URL | null): boolean => url?.protocol === 'https:' && url.username === '' && url.password === '';
