/** The input of the processing agent. */
import type * as v from 'valibot';
import { httpsAddress, inside, list, maybe, oneOf, words } from './fields.ts';

const MAX_RULE = 1_000;
const FORMATS = ['json', 'csv', 'xlsx', 'markdown'] as const;
export type OutputFormat = (typeof FORMATS)[number];

export const processingInput = () =>
  inside({
    documents: list(inside({ url: httpsAddress, type: maybe(words()) }), { min: 1 }),
    processing_type: maybe(words()),
    extraction_rules: maybe(list(words(MAX_RULE))),
    output_format: maybe(oneOf(FORMATS)),
  });

export type ProcessingInput = v.InferOutput<ReturnType<typeof processingInput>>;
