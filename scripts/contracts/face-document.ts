/** What an OpenAPI document is made of: a route table, what its contract tells besides, and how it speaks of problems. */
import type { FieldTexts, Operations } from '../../functions/http/contract.ts';
import type { Route } from '../../functions/http/route.ts';
import type { ProblemCode } from '../../shared/core/problem.ts';
import type { GuideExample } from './examples.ts';
import type { Named } from './json-schema.ts';

export type FaceDocument = {
  title: string;
  description: string;
  /** Where the local product has it. */
  server: string;
  routes: readonly Route<never>[];
  operations: Operations;
  answers: Named;
  bodies: Named;
  /** Descriptions of the fields of each body. */
  bodyTexts: Readonly<Record<string, FieldTexts>>;
  /** Of a problem: the status, and the code where there are codes. */
  statusOf(code: ProblemCode): { status: number; code?: string };
  security: { schemes: Record<string, object>; required: object[] };
  /** How the names of path parameters are written. */
  parameterName(name: string): string;
  parameters: Record<string, { description: string; schema: object }>;
  webhook: { name: string; summary: string; body: string; example: object };
  tags: Record<string, string>;
  examples: readonly GuideExample[];
};
