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

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const processingTexts = () => ({
  documents: 'The files to extract from: 1 to 50, all read with the same rules.',
  'documents[].url': 'An HTTPS URL without credentials that the service fetches the document from.',
  'documents[].type': 'What you expect it to be, such as `pdf`; a warning says when the bytes are something else.',
  processing_type: 'Any text; it is stored and has no effect yet.',
  extraction_rules: `Names such as \`dates\`, or instructions to the model of up to ${MAX_RULE} characters; default: all named rules.`,
  output_format: 'The format of the file of values; `json` by default. The results are always JSON.',
});

export type ProcessingInput = v.InferOutput<ReturnType<typeof processingInput>>;
