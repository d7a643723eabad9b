/** Additions to an API's OpenAPI document beyond its route table, for `npm run contracts` and tests. Not part of any bundle. */
import * as v from 'valibot';
import { field } from '../../shared/core/answer-fields.ts';
import type { ProblemCode } from '../../shared/core/problem.ts';

type ContractSchema = v.GenericSchema;

/** Descriptions of the fields of a request body, by dotted name: `input.fileIds`, `documents[].url`. */
export type FieldTexts = Readonly<Record<string, string>>;

/** The same fields nested in another field. */
export const prefixed = (name: string, texts: FieldTexts): FieldTexts =>
  Object.fromEntries(Object.entries(texts).map(([path, text]) => [`${name}.${path}`, text]));

/** A query parameter with its JSON Schema. */
export type Parameter = { description: string; schema: Record<string, unknown> };

export type Operation = {
  /** Unique in its document; clients derive function names from it. */
  id: string;
  tag: string;
  /** The schema of each response by status: null for no body, `page` for HTML. */
  answers: Readonly<Record<number, ContractSchema | 'page' | 'text' | null>>;
  /** The name of the body's schema. */
  body?: string;
  /** What the schema cannot express. */
  bodyNote?: string;
  /** The body may be omitted. */
  isBodyOptional?: true;
  query?: Readonly<Record<string, Parameter>>;
  /** Problems in addition to those that every route may return. */
  problems?: readonly ProblemCode[];
  /** A 200 response contains the time of the next poll. */
  isPolled?: true;
  /** A 200 response is Markdown unless the caller requests JSON. */
  isMarkdown?: true;
};

/** Operations by `<method> <path>` of the route. */
export type Operations = Readonly<Record<string, Operation>>;

export const health = v.object({
  status: field(v.literal('ok'), 'Always `ok`: the service accepts calls.'),
  version: field(v.string(), 'The version of Errand that answers, such as `0.2.0`.'),
});

/** The schema of the route that serves a contract: only its outline. */
export const document = v.looseObject({
  info: field(
    v.looseObject({
      title: field(v.string(), 'The name of the API that it describes.'),
      version: field(v.string(), 'The version of Errand that it belongs to.'),
    }),
    'The head of an OpenAPI or AsyncAPI document; the rest follows that specification.',
  ),
});

/** The public routes of each API: health and contracts. */
export const SERVICE: Operations = {
  'GET /health': { id: 'getRootHealth', tag: 'Service', answers: { 200: health } },
  'GET /api/v1/health': { id: 'getHealth', tag: 'Service', answers: { 200: health } },
  'GET /openapi.json': { id: 'getOpenApi', tag: 'Service', answers: { 200: document } },
};
