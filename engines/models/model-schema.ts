/** Converts a schema to the form that models get, and reads their answers by it. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { asSchema, jsonSchema, type Schema } from 'ai';
import * as v from 'valibot';

/**
 * Validates explicitly: the library accepts the result of the standard's own check as soon as it has a value, even with
 * issues.
 */
export function modelSchema<S extends v.GenericSchema>(schema: S): Schema<v.InferOutput<S>> {
  const standard = asSchema(toStandardJsonSchema(schema));
  // Each call asks for this schema, and it is expensive to build.
  return jsonSchema(() => standard.jsonSchema, {
    validate(value) {
      const parsed = v.safeParse(schema, value);
      return parsed.success
        ? { success: true, value: parsed.output }
        : { success: false, error: new v.ValiError(parsed.issues) };
    },
  });
}

type ReadAnswer<S extends v.GenericSchema> = { value: v.InferOutput<S> } | { fault: string };

/**
 * Reads the JSON of an answer, also in a code fence or with prose around it. What is in doubt is not repaired, such as an
 * answer that was cut; the fault is a sentence for the model.
 */
export function readAnswer<S extends v.GenericSchema>(schema: S, text: string): ReadAnswer<S> {
  let fault = 'It contains no complete JSON value.';
  for (const json of jsonValuesIn(text)) {
    const parsed = v.safeParse(schema, json);
    if (parsed.success) return { value: parsed.output };
    fault = faultOf(parsed.issues);
  }
  return { fault };
}

const MAX_ISSUES = 5;

const faultOf = (issues: readonly v.BaseIssue<unknown>[]): string =>
  issues
    .slice(0, MAX_ISSUES)
    .map((issue) => `At ${v.getDotPath(issue) ?? 'the top'}: ${issue.message}.`)
    .join(' ');

/** At most this many places are tried, so that a hostile text takes no long time. */
const MAX_STARTS = 20;

/** The whole text, or else the outermost objects and arrays in it. */
function* jsonValuesIn(text: string): Generator<unknown> {
  const whole = parsedJson(text);
  if (whole) {
    yield whole.value;
    return;
  }
  let from = 0;
  for (let starts = 0; starts < MAX_STARTS; starts++) {
    const start = text.slice(from).search(/[[{]/);
    if (start < 0) return;
    const end = endOfValue(text, from + start);
    // Nothing after a value that does not end is a value of its own.
    if (end === undefined) return;
    const found = parsedJson(text.slice(from + start, end));
    if (found) yield found.value;
    from = found ? end : from + start + 1;
  }
}

const TRAILING_COMMA = /,(?=\s*[}\]])/g;

/** Reads JSON; a comma behind the last element is certain to be a slip, if it is not within a string. */
function parsedJson(text: string): { value: unknown } | undefined {
  for (const attempt of [text, text.includes('"') && /,\s*[}\]]/.test(withoutStrings(text)) ? mended(text) : '']) {
    try {
      return { value: JSON.parse(attempt) };
    } catch {
      // The next attempt, or none.
    }
  }
  return undefined;
}

const STRING = /"(?:[^"\\]|\\.)*"/g;
const withoutStrings = (text: string): string => text.replace(STRING, '""');

function mended(text: string): string {
  const strings = text.match(STRING) ?? [];
  let at = 0;
  return withoutStrings(text)
    .replace(TRAILING_COMMA, '')
    .replaceAll('""', () => strings[at++] ?? '""');
}

/** Brackets, and strings as one. A string that does not end reaches to the end of the text. */
const TOKENS = /"(?:[^"\\]|\\.)*(?:"|$)|[{}[\]]/gs;

/** The index behind the bracket that closes the one at `start`. */
function endOfValue(text: string, start: number): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.slice(start).matchAll(TOKENS)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    if (depth === 0) return start + index + 1;
  }
  return undefined;
}
