/** The parts of an OpenAPI document: a route table, the additions of its contract, and its form of problems. */
import type { FieldTexts, Operations } from '../../functions/http/contract.ts';
import type { Route } from '../../functions/http/route.ts';
import type { ProblemCode } from '../../shared/core/problem.ts';
import type { GuideExample } from './examples.ts';
import type { NamedSchemas } from './json-schema.ts';

export type ApiDocument = {
  title: string;
  description: string;
  /** The base path on the local product. */
  server: string;
  routes: readonly Route<never>[];
  operations: Operations;
  answers: NamedSchemas;
  bodies: NamedSchemas;
  /** Descriptions of the fields of each body. */
  bodyTexts: Readonly<Record<string, FieldTexts>>;
  /** The status of a problem, and its code in the API that has codes. */
  statusOf(code: ProblemCode): { status: number; code?: string };
  security: { schemes: Record<string, object>; required: object[] };
  /** How the names of path parameters are written. */
  parameterName(name: string): string;
  parameters: Record<string, { description: string; schema: object }>;
  webhook: { name: string; summary: string; body: string; example: object };
  tags: Record<string, string>;
  examples: readonly GuideExample[];
};
