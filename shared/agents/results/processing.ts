/** The results of the processing of documents: each document with its values, and what the type of processing gives. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, optionalText, optionalTrue } from '../../core/answer-fields.ts';
import { files, incomplete, promptVersion, truncated } from './every-agent.ts';
import { basis, basisEntries, documentRecord, scalar } from './records.ts';

const text = v.string();
const texts = v.array(v.string());

const documentFields = {
  document: field(count, 'The number of the document, from 1, in the order of the request.'),
  url: field(text, 'The URL as it was submitted; `/files/{file_id}` for a stored file.'),
  name: field(text, 'The file name that the server gave, or the end of the URL; empty before it was fetched.'),
  type: field(v.nullable(text), 'The type as it was submitted; null without one.'),
};
const details = {
  amount: optionalText('A decimal number with a point, such as `6074.00`; for amounts.'),
  currency: v.exactOptional(field(v.nullable(text), 'The ISO code of an amount; null if the document does not say.')),
  ambiguous: optionalTrue('Always true: the date can be read in two ways; see `or`.'),
  or: optionalText('The other reading of an ambiguous date, as YYYY-MM-DD.'),
  valid: v.exactOptional(field(v.boolean(), 'Whether the check digits of an IBAN or a VAT number are right.')),
  role: v.exactOptional(field(v.nullable(text), 'What a party to a contract is called in it; null if nothing says.')),
};
const value = v.object({
  rule: field(text, 'The named rule or the instruction that found it.'),
  value: field(text, 'The value in a normalized form, such as `EUR 6074.00` or `2026-02-09`.'),
  text: field(text, 'The value as the document writes it.'),
  place: field(v.nullable(text), 'Where it stands, such as `page 1`; null if an answer was not found in the document.'),
  excerpt: field(v.nullable(text), 'The passage around it, word for word; null if an answer was not found there.'),
  ...details,
  verified: v.exactOptional(
    field(
      v.boolean(),
      'For instructions: whether value and excerpt agree: the value stands in it, or a second look at both says so.',
    ),
  ),
  is_passage: optionalTrue(
    'Always true: without a language model, this is a passage with words of the instruction, not an answer.',
  ),
  key: optionalText('The label of a pair; its text is in `value` behind ` = `.'),
  header: v.exactOptional(field(texts, 'For tables: the names of the columns.')),
  rows: v.exactOptional(field(v.array(texts), 'For tables: the cells as texts, at most 200 rows.')),
  values: v.exactOptional(
    field(
      v.array(v.array(v.union([v.string(), v.number(), v.boolean(), v.null()]))),
      'For sheets: the cells as typed values; dates as ISO 8601, percentages as fractions.',
    ),
  ),
  columns: v.exactOptional(
    field(
      v.array(
        v.object({
          name: field(text, 'The name of the column, as in `header`.'),
          type: field(text, 'What its cells share: `text`, `number`, `date` and the like, else `mixed`.'),
          currency: field(v.nullable(text), 'The ISO code that its number format names; null without one.'),
          unit: field(v.nullable(text), 'What the row of units below the header says; null without one.'),
        }),
      ),
      'For sheets: the type of each column.',
    ),
  ),
  row_count: v.exactOptional(field(count, 'For tables: how many rows there are, also those not listed.')),
  hidden: optionalTrue('Always true: the table stands on a hidden sheet.'),
  hidden_rows: v.exactOptional(field(v.array(count), 'For sheets: the positions of hidden rows in `rows`, from 0.')),
  reason: optionalText('For labelled values: which words or position speak for it.'),
  candidates: v.exactOptional(
    field(
      v.array(
        v.object({
          value: field(text, 'The other value in a normalized form.'),
          text: field(text, 'The other value as the document writes it.'),
          place: field(text, 'Where the other value stands, such as `page 2`.'),
          reason: field(text, 'Which words or position speak for it.'),
          ...details,
        }),
      ),
      'For labelled values: up to five other values, the likeliest first.',
    ),
  ),
});
export type RuleValue = v.InferOutput<typeof value>;
export const processedDocument = v.object({
  ...documentFields,
  status: field(v.literal('processed'), 'Always `processed`: the document was read.'),
  kind: field(text, 'The format that was found in the bytes, such as `pdf` or `xlsx`.'),
  size_bytes: field(count, 'The length of the document in bytes.'),
  places: field(count, 'How many pages, sheets or slides it has.'),
  characters: field(count, 'The length of its text in characters.'),
  values: field(v.array(value), 'What rules and instructions found in it.'),
  values_left_out: field(count, 'How many more values there were than one document may give.'),
  read_places: v.exactOptional(
    field(v.array(text), 'The places that the model was shown for the record, if that was not the whole document.'),
  ),
});
export type ProcessedView = v.InferOutput<typeof processedDocument>;
export const pendingDocument = v.object({
  ...documentFields,
  status: field(v.literal('pending'), 'Always `pending`: the task ended before it was read.'),
});
export const failedDocument = v.object({
  ...documentFields,
  status: field(v.literal('failed'), 'Always `failed`: it could not be fetched or read.'),
  reason: field(text, 'Why, for a program: `unreachable`, `encrypted`, `tooLarge` and the like.'),
  message: field(text, 'Why, in a few words that follow the name of the document.'),
});
const summaryPoints = v.array(
  v.object({
    text: field(text, 'One point of the summary, as plain text.'),
    is_quote: field(v.boolean(), 'True if it is quoted; false if a model wrote it.'),
    ...basisEntries,
  }),
);
export type SummaryPoint = v.InferOutput<typeof summaryPoints>[number];
const documentClass = v.object({
  document: field(count, 'The number of the document, from 1 in the order of the request.'),
  label: field(v.nullable(v.string()), 'The name of its class; null without evidence, or if two have the same.'),
  basis: field(v.array(basis), 'The passage that shows the class; empty without a class.'),
  reason: field(v.string(), 'Which words speak for the class, or why there is none.'),
  candidates: field(
    v.array(
      v.object({
        label: field(v.string(), 'The name of another class that words of the document speak for.'),
        basis: field(basis, 'The passage with these words.'),
        reason: field(v.string(), 'Which words speak for the other class.'),
      }),
    ),
    'Other classes, the likeliest first.',
  ),
});
export type DocumentClass = Omit<v.InferOutput<typeof documentClass>, 'document'>;
const comparedField = v.object({
  field: field(text, 'The path in the schema, the name of the rule, or the label in the documents.'),
  status: field(
    v.picklist(['different', 'partial', 'same']),
    '`different`: two documents disagree. `partial`: some documents do not have it, and the others agree.',
  ),
  values: field(
    v.array(
      v.object({
        document: field(count, 'The number of the document, from 1 in the order of the request.'),
        value: field(v.nullable(scalar), 'Its value; several are joined by semicolons; null if it has none.'),
        place: field(v.nullable(text), 'Where the value stands, such as `page 1`; null without a value.'),
        quote: field(v.nullable(text), 'The passage with the value, word for word; null without a value.'),
      }),
    ),
    'One entry for each document that could be used.',
  ),
});
export type ComparedField = v.InferOutput<typeof comparedField>;
export const processingResults = v.object({
  processing_type: field(v.nullable(text), 'The type as it was submitted; null without one, which is an extraction.'),
  rules: field(
    v.array(
      v.object({
        rule: field(text, 'The name of the rule, or the instruction as it was submitted.'),
        kind: field(v.picklist(['named', 'instruction']), '`named` runs without a model; an `instruction` asks one.'),
        found: field(count, 'How many values it gave over all documents.'),
        not_looked_for: v.exactOptional(
          field(
            v.literal(true),
            'Without a language model: what the instruction asks for was not looked for. Its values are the nearest passages.',
          ),
        ),
      }),
    ),
    'What was looked for, with the number of values each found.',
  ),
  documents: field(
    v.array(v.union([processedDocument, pendingDocument, failedDocument])),
    'The documents in the order of the request, each with its values or its failure.',
  ),
  output_schema: v.exactOptional(
    field(
      v.record(v.string(), v.unknown()),
      'The submitted schema, in which every field may be null and arrays empty.',
    ),
  ),
  records: v.exactOptional(
    field(v.array(documentRecord), 'With a schema: one record for each document that could be used.'),
  ),
  summary: v.exactOptional(
    field(
      v.object({
        points: field(summaryPoints, 'The main points of all documents together.'),
        documents: field(
          v.array(
            v.object({
              document: field(count, 'The number of the document, from 1 in the order of the request.'),
              points: field(
                summaryPoints,
                'The main points of the document, the most important first or in its order.',
              ),
            }),
          ),
          'The summary of each document that could be used.',
        ),
      }),
      'Of a summarization: what the documents say, with the passages it rests on.',
    ),
  ),
  classes: v.exactOptional(
    field(v.array(documentClass), 'Of a classification: the class of each document that could be used.'),
  ),
  comparison: v.exactOptional(
    field(v.array(comparedField), 'Of a comparison: the fields of the documents, those that differ first.'),
  ),
  merged: field(
    v.array(
      v.object({
        rule: field(text, 'The named rule or the instruction that found it.'),
        value: field(text, 'The value in a normalized form.'),
        occurrences: field(count, 'How often it was found over all documents.'),
        documents: field(v.array(count), 'The numbers of the documents that have it.'),
      }),
    ),
    'Equal values of all documents together; those of most documents come first.',
  ),
  complete: incomplete,
  prompt_version: promptVersion,
  files,
  truncated,
});
export type ProcessingResults = v.InferOutput<typeof processingResults>;
export type DocumentView = ProcessingResults['documents'][number];
export type MergedValue = ProcessingResults['merged'][number];
