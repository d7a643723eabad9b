/** Converts a schema to the form that models get, and reads their answers by it, or as calls of tools. */
import { randomUUID } from 'node:crypto';
import type {
  JSONSchema7,
  JSONSchema7Definition,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
} from '@ai-sdk/provider';
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { asSchema, jsonSchema, type Schema } from 'ai';
import * as v from 'valibot';
import { definedFields } from '../../shared/core/optional-fields.ts';

/**
 * Validates explicitly: the library accepts the result of the standard's own check as soon as it has a value, even with
 * issues.
 */
export function modelSchema<S extends v.GenericSchema>(schema: S): Schema<v.InferOutput<S>> {
  return validatedSchema(schema, (json) => json);
}

/**
 * For the input of a tool, which each call of a task repeats: without limits and other keywords whose breach the answer of the
 * tool reports anyway.
 */
export function toolSchema<S extends v.GenericSchema>(schema: S): Schema<v.InferOutput<S>> {
  return validatedSchema(schema, briefSchema);
}

function validatedSchema<S extends v.GenericSchema>(
  schema: S,
  toSent: (json: JSONSchema7) => JSONSchema7,
): Schema<v.InferOutput<S>> {
  const standard = asSchema(toStandardJsonSchema(schema));
  // Each call asks for this schema, and it is expensive to build.
  return jsonSchema(async () => toSent(await standard.jsonSchema), {
    validate(value) {
      const parsed = v.safeParse(schema, value);
      return parsed.success
        ? { success: true, value: parsed.output }
        : { success: false, error: new v.ValiError(parsed.issues) };
    },
  });
}

type ReadAnswer<S extends v.GenericSchema> = { value: v.InferOutput<S> } | { fault: string };

function briefSchema({ required, ...json }: JSONSchema7): JSONSchema7 {
  return definedFields({ ...briefValue(json), required: required?.length ? required : undefined });
}

function briefValue({ type, description, enum: values, properties, items, anyOf }: JSONSchema7): JSONSchema7 {
  const brief = (json: JSONSchema7Definition) => (typeof json === 'boolean' ? json : briefValue(json));
  const types = anyOf?.flatMap((json: JSONSchema7Definition) =>
    typeof json === 'object' && typeof json.type === 'string' && Object.keys(json).length === 1 ? [json.type] : [],
  );
  if (types && types.length === anyOf?.length) return definedFields({ type: types, description });
  return definedFields({
    type,
    description,
    enum: values,
    properties: properties && mapValues(properties, brief),
    items: items === undefined || Array.isArray(items) ? items : brief(items),
    anyOf: anyOf?.map(brief),
  });
}

const mapValues = <Value, Mapped>(values: Record<string, Value>, mapped: (value: Value) => Mapped) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, mapped(value)]));

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
    const parsed = parsedJson(text.slice(from + start, end));
    if (parsed) yield parsed.value;
    from = parsed ? end : from + start + 1;
  }
}

const TRAILING_COMMA = /,(?=\s*[}\]])/g;

/** Reads JSON; a comma behind the last element is certain to be a slip, if it is not within a string. */
function parsedJson(text: string): { value: unknown } | undefined {
  for (const attempt of [text, text.includes('"') && /,\s*[}\]]/.test(withoutStrings(text)) ? repairJson(text) : '']) {
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

function repairJson(text: string): string {
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

type PromptAndTools = Pick<LanguageModelV4CallOptions, 'prompt' | 'tools'>;
type Answer = Pick<LanguageModelV4GenerateResult, 'content' | 'finishReason'>;

/** What models put around a call that they write as text, where a server does not know their way of calling. */
const CALL_TAGS = /<\/?(?:tool_calls?|tools|function_calls?|\|tool_calls?\||\|python_tag\|)>/g;

/**
 * Some models write the call of a tool into the text of their answer: in a fence, in tags, or bare. It is read as the call
 * that it is. The prose around it goes, as it was written without the result and often invents one.
 */
export function withCallsFromText<A extends Answer>({ prompt, tools = [] }: PromptAndTools, answer: A): A {
  if (tools.length === 0 || answer.content.some(({ type }) => type === 'tool-call')) return answer;
  const text = answer.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const names = new Set(tools.map(({ name }) => name));
  const calls = callsIn(text).filter(({ name }) => names.has(name) && !isQuoted(prompt, name));
  if (calls.length > 0) {
    const content = calls.map(({ name, input }) => ({
      type: 'tool-call' as const,
      toolCallId: `call_${randomUUID()}`,
      toolName: name,
      input: JSON.stringify(input),
    }));
    return { ...answer, content, finishReason: { ...answer.finishReason, unified: 'tool-calls' } };
  }
  const isTagsAlone = text !== '' && text.replaceAll(CALL_TAGS, '').trim() === '';
  return isTagsAlone ? { ...answer, content: [] } : answer;
}

type Call = { name: string; input: object };

/** `<function=read_file>{"file": 1}</function>` */
const NAMED_BEFORE = /<function=(?<name>\w+)>\s*(?<input>\{[\s\S]*?\})\s*<\/function>/g;

function callsIn(text: string): Call[] {
  const taggedCalls = [...text.matchAll(NAMED_BEFORE)].map(({ groups }) => ({
    name: groups?.name,
    arguments: parsedJson(groups?.input ?? '')?.value,
  }));
  return (taggedCalls.length > 0 ? taggedCalls : [...jsonValuesIn(text)].flat()).flatMap(callOf);
}

type Written = Partial<Record<string, unknown>>;

const isRecord = (value: unknown): value is Written =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The names that models give to the two parts of a call. */
function callOf(value: unknown): Call[] {
  if (!isRecord(value)) return [];
  const call = isRecord(value.function) ? value.function : value;
  const name = call.name ?? call.function ?? call.tool ?? call.tool_name;
  const rawInput = call.arguments ?? call.parameters ?? call.args ?? call.input;
  const input = typeof rawInput === 'string' ? parsedJson(rawInput)?.value : rawInput;
  return typeof name === 'string' && isRecord(input) ? [{ name, input }] : [];
}

/** A call that the documents contain may be quoted, and an order of a document is not the model's. */
const isQuoted = (prompt: LanguageModelV4CallOptions['prompt'], name: string): boolean =>
  new RegExp(`\\\\"(?:name|function|tool|tool_name)\\\\+"\\s*:\\s*\\\\+"${name}\\\\+"|<function=${name}>`).test(
    JSON.stringify(prompt),
  );
