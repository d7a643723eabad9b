/** The form in which a model proposes values of fields. */

import * as v from 'valibot';
import { OPERATIONS } from '../verification/operations.ts';

/** The same flat form for all providers: no schema of a caller is sent as a strict one. */
export const proposals = v.object({
  fields: v.array(
    v.object({
      path: v.string(),
      value: v.nullish(v.union([v.string(), v.number(), v.boolean()])),
      quote: v.nullish(v.string()),
      absent: v.nullish(v.boolean()),
      computed: v.nullish(
        v.object({
          op: v.picklist(OPERATIONS),
          of: v.array(v.union([v.string(), v.object({ value: v.union([v.string(), v.number()]), quote: v.string() })])),
          from: v.nullish(v.string()),
          to: v.nullish(v.string()),
        }),
      ),
    }),
  ),
  lists: v.nullish(v.array(v.object({ path: v.string(), complete: v.boolean(), as_proposed: v.boolean() }))),
});
export type ModelAnswer = v.InferOutput<typeof proposals>;
export type ModelField = ModelAnswer['fields'][number];
export type ComputedProposal = NonNullable<ModelField['computed']>;

/** A proposal that does not hold: `value` and `quote` are the model's own, so that it sees what is to be mended. */
export type RejectedProposal = {
  path: string;
  fault: string;
  value?: string | number | boolean;
  quote?: string;
  computed?: ComputedProposal;
};
