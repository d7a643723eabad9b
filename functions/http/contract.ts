/** Additions to an API's OpenAPI document beyond its route table. For `npm run contracts` and tests; in no bundle. */
import * as v from 'valibot';
import type { ProblemCode } from '../../shared/core/problem.ts';

export type ContractSchema = v.GenericSchema;

/** A parameter of the query, in the words of JSON Schema. */
export type Parameter = { description: string; schema: Record<string, unknown> };

export type Operation = {
  /** Unique in its document; clients name their functions after it. */
  id: string;
  tag: string;
  /** The schema of each reply, by its status; null for one without a body, `page` for what people read. */
  answers: Readonly<Record<number, ContractSchema | 'page' | null>>;
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

export const health = v.object({ status: v.literal('ok'), version: v.string() });

/** A contract tells of itself no more than that it is one. */
export const document = v.looseObject({ info: v.looseObject({ title: v.string(), version: v.string() }) });

/** What a face tells of itself to anybody. */
export const SERVICE: Operations = {
  'GET /health': { id: 'getRootHealth', tag: 'Service', answers: { 200: health } },
  'GET /api/v1/health': { id: 'getHealth', tag: 'Service', answers: { 200: health } },
  'GET /openapi.json': { id: 'getOpenApi', tag: 'Service', answers: { 200: document } },
};
