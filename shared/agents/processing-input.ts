/** The input of the processing agent. */
import * as v from 'valibot';
import {
  httpsAddress,
  inside,
  list,
  maybe,
  modelFields,
  modelTexts,
  type OpenWord,
  oneOf,
  openWord,
  recordFields,
  recordTexts,
  sameWord,
  words,
} from './field-schemas.ts';

const MAX_RULE = 1_000;
const FORMATS = ['json', 'jsonl', 'csv', 'xlsx', 'markdown'] as const;
export type OutputFormat = (typeof FORMATS)[number];
export const OUTPUT_FORMATS: OpenWord<OutputFormat> = { choices: FORMATS, fallback: 'json' };

/** What a task may do with its documents; any other word means extraction. */
export const PROCESSING_TYPES = ['extraction', 'summarization', 'classification', 'comparison'] as const;
export type ProcessingType = (typeof PROCESSING_TYPES)[number];

export const processingTypeOf = (text: string | null | undefined): ProcessingType =>
  sameWord(PROCESSING_TYPES, text?.trim() ?? '') ?? 'extraction';

/** Any rule counts, even those that call no model: their names would be too much for the bundle of the submit function. */
export function mayAskModel(input: ProcessingInput): boolean {
  const type = processingTypeOf(input.processing_type);
  const isRead = type === 'summarization' || type === 'classification' || input.output_schema != null;
  return isRead || (input.extraction_rules ?? []).length > 0;
}

const SUMMARY_LENGTHS = ['short', 'standard', 'long'] as const;
export type SummaryLength = (typeof SUMMARY_LENGTHS)[number];

const MAX_DESCRIPTION = 500;

/** The name of a class, or an object with a name and a description. */
const label = () =>
  v.union(
    [words(), inside({ name: words(), description: maybe(words(MAX_DESCRIPTION)) })],
    'must be a name, or an object with name and description',
  );

const processingOptions = () =>
  inside({ length: maybe(oneOf(SUMMARY_LENGTHS)), labels: maybe(list(label(), { min: 2 })) });

/** Why no document can be fetched from this URL, judged by its spelling. */
export type FaultOfDocument = (address: string) => string | undefined;

const publicAddress = (faultOf: FaultOfDocument) =>
  v.pipe(
    httpsAddress,
    v.check(
      (text) => faultOf(text) === undefined,
      ({ input }) => faultOf(input) ?? '',
    ),
  );

/** A document by URL, or a file of the organization. */
const document = (faultOf: FaultOfDocument) =>
  v.pipe(
    inside({ url: maybe(publicAddress(faultOf)), file_id: maybe(words()), type: maybe(words()) }),
    v.forward(
      v.check(({ url, file_id: fileId }) => url != null || fileId != null, 'is required, or file_id instead'),
      ['url'],
    ),
    v.forward(
      v.check(({ url, file_id: fileId }) => url == null || fileId == null, 'must not be given beside url'),
      ['file_id'],
    ),
  );

export const processingInput = (faultOfDocument: FaultOfDocument) =>
  inside({
    ...modelFields(),
    documents: list(document(faultOfDocument), { min: 1 }),
    processing_type: maybe(words()),
    processing_options: maybe(processingOptions()),
    extraction_rules: maybe(list(words(MAX_RULE))),
    output_format: maybe(openWord(FORMATS)),
    ...recordFields(),
  });

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const processingTexts = () => ({
  ...modelTexts(),
  documents: 'The files to extract from: 1 to 50, all read with the same rules.',
  'documents[].url':
    'A public HTTPS URL without credentials that the service fetches the document from; or else give `file_id`.',
  'documents[].file_id': 'The id of a stored file of your organization, instead of a URL: see `POST /files`.',
  'documents[].type': 'What you expect it to be, such as `pdf`; a warning says when the bytes are something else.',
  processing_type:
    '`extraction` (default), `summarization`, `classification` or `comparison`; any other word works as extraction.',
  processing_options: 'Settings of the type of processing.',
  'processing_options.length': 'For summaries: `short` (3 points), `standard` (6, the default) or `long` (12).',
  'processing_options.labels':
    'For classification: 2 to 50 classes, each a name or `{name, description}`. Default: the first enumeration of the schema, or else common kinds of papers.',
  'processing_options.labels[].name': 'What the class is called, such as `complaint`; at most 200 characters.',
  'processing_options.labels[].description': 'Words that documents of this class use; at most 500 characters.',
  extraction_rules: `Names such as \`dates\`, or instructions to the model of up to ${MAX_RULE} characters; default without a schema: all named rules.`,
  output_format:
    'The format of the file of values or records; `json` by default and for any other word. The results are always JSON.',
  output_schema: 'JSON Schema (a documented subset) of the record to fill from each document; any null field is a gap.',
  ...recordTexts(),
});

export type ProcessingInput = v.InferOutput<ReturnType<typeof processingInput>>;
