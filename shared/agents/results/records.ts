/** Schemas of records and classes of documents with their evidence; both APIs share those of fields. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, optionalText } from '../../core/answer-fields.ts';

export const scalar = v.union([v.string(), v.number(), v.boolean()]);
export const basisEntries = {
  document: field(count, 'The number of the document, from 1, as the results list their documents.'),
  place: field(v.string(), 'Where the quote stands, such as `page 2` or `sheet Costs`.'),
  quote: field(v.string(), 'At most 300 characters of the document, word for word; in a table its row.'),
};
export const basis = v.object({
  ...basisEntries,
  column: optionalText('In a table: the head of the column of the value.'),
  page: v.exactOptional(field(count, 'The number of the page, slide or sheet, from 1.')),
  from: v.exactOptional(field(count, 'Where the quote begins in the text of its place, in UTF-16 code units.')),
  to: v.exactOptional(field(count, 'Where the quote ends in the text of its place.')),
  looked_by: v.exactOptional(
    field(
      v.picklist(['same_model', 'verify_model']),
      'Who looked at value and quote a second time; absent if nobody did.',
    ),
  ),
});
/** Of a value without evidence, place and quote are empty. */
export type Basis = v.InferOutput<typeof basis>;
const recordField = v.object({
  path: field(v.string(), 'Names from the root joined by points, entries of arrays by number: `lines.0.amount`.'),
  status: field(
    v.picklist(['proven', 'computed', 'judged', 'unverified', 'missing', 'conflict']),
    '`proven`: value and label stand in the quote. `judged`: position, form or a second look speak for it. `unverified`: a model gave it, and evidence or second look is lacking; null unless `accept` names it. Null otherwise.',
  ),
  value: field(
    v.nullable(scalar),
    'The value in the type of the schema; null if it is missing, in conflict or not accepted.',
  ),
  basis: field(v.array(basis), 'Where the value stands; in a conflict, each of the values.'),
  reason: field(v.string(), 'Which words or position speak for the value, or why there is none.'),
  candidates: field(
    v.array(
      v.object({
        value: field(scalar, 'Another value that was found and not taken.'),
        basis: field(basis, 'Where the other value stands.'),
        reason: field(v.string(), 'Which words or position speak for the other value.'),
      }),
    ),
    'Values that were found and not taken, the likeliest first; also the value that is not accepted.',
  ),
});
export type FieldResult = v.InferOutput<typeof recordField>;
export type FieldStatus = FieldResult['status'];
/** The same entries for both APIs; only the names of the schemas differ. */
export const recordEntries = {
  complete: field(v.boolean(), 'Whether every wanted field has a value.'),
  missing: field(v.array(v.string()), 'The paths of wanted fields without a value.'),
  fields: field(v.array(recordField), 'How each field of the record is known, and where it stands.'),
};
export const documentRecord = v.object({
  document: field(count, 'The number of the document, from 1 in the order of the request.'),
  data: field(v.record(v.string(), v.unknown()), 'The record, valid in the `output_schema` of the results.'),
  ...recordEntries,
});
export type DocumentRecord<Data = Record<string, unknown>> = { data: Data } & Pick<
  v.InferOutput<typeof documentRecord>,
  keyof typeof recordEntries
>;
