/** Schemas of records and classes of documents with their evidence; both APIs share those of fields. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, optionalText } from '../http/contract.ts';

export const scalar = v.union([v.string(), v.number(), v.boolean()]);
export const basisEntries = {
  document: field(count, 'The number of the document, from 1, as the results list their documents.'),
  place: field(v.string(), 'Where the quote stands, such as `page 2` or `sheet Costs`.'),
  quote: field(v.string(), 'At most 300 characters of the document, word for word; in a table its row.'),
};
const basis = v.object({
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
export const documentClass = v.object({
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
