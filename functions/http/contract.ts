/** Additions to an API's OpenAPI document beyond its route table. For `npm run contracts` and tests; in no bundle. */
import * as v from 'valibot';
import type { ProblemCode } from '../../shared/core/problem.ts';

type ContractSchema = v.GenericSchema;

/** Adds what the name of a field does not say: unit, default, limits, effect, an example. */
export const field = <const S extends v.GenericSchema>(schema: S, text: string) => v.pipe(schema, v.description(text));
export const optionalText = (text: string) => v.exactOptional(field(v.string(), text));
export const optionalTrue = (text: string) => v.exactOptional(field(v.literal(true), text));

/** Descriptions of the fields of a request body, by dotted name: `input.fileIds`, `documents[].url`. */
export type FieldTexts = Readonly<Record<string, string>>;

/** The same fields inside of another one. */
export const within = (name: string, texts: FieldTexts): FieldTexts =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [`${name}.${path}`, text]));

/** A parameter of the query, in the words of JSON Schema. */
export type Parameter = { description: string; schema: Record<string, unknown> };

export type Operation = {
  /** Unique in its document; clients name their functions after it. */
  id: string;
  tag: string;
  /** The schema of each reply, by its status; null for one without a body, `page` for what people read. */
  answers: Readonly<Record<number, ContractSchema | 'page' | 'text' | null>>;
  /** The name under which the schema of its body is found. */
  body?: string;
  /** What its schema cannot say of it. */
  bodyNote?: string;
  /** It may be left out as a whole. */
  isBodyOptional?: true;
  query?: Readonly<Record<string, Parameter>>;
  /** Problems in addition to those that every route may return. */
  problems?: readonly ProblemCode[];
  /** An answer 200 says when to come back. */
  isPolled?: true;
  /** The answer 200 is Markdown, unless JSON is asked for. */
  isMarkdown?: true;
};

/** By `<method> <path>` of the route. */
export type Operations = Readonly<Record<string, Operation>>;

/** All words of a union: one that is missing, or too much, does not compile. */
export const oneOfAll = <T extends string>(words: Readonly<Record<T, true>>) =>
  v.picklist(Object.keys(words) as [T, ...T[]]);

export const time = v.pipe(v.string(), v.isoTimestamp());
export const timeOrNull = v.nullable(time);
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const amount = v.pipe(v.number(), v.minValue(0));

export const health = v.object({
  status: field(v.literal('ok'), 'Always `ok`: the service accepts calls.'),
  version: field(v.string(), 'The version of Errand that answers, such as `0.2.0`.'),
});

/** A contract tells of itself no more than that it is one. */
export const document = v.looseObject({
  info: field(
    v.looseObject({
      title: field(v.string(), 'The name of the API that it describes.'),
      version: field(v.string(), 'The version of Errand that it belongs to.'),
    }),
    'The head of an OpenAPI or AsyncAPI document; the rest follows that specification.',
  ),
});

/** What a face tells of itself to anybody. */
export const SERVICE: Operations = {
  'GET /health': { id: 'getRootHealth', tag: 'Service', answers: { 200: health } },
  'GET /api/v1/health': { id: 'getHealth', tag: 'Service', answers: { 200: health } },
  'GET /openapi.json': { id: 'getOpenApi', tag: 'Service', answers: { 200: document } },
};
