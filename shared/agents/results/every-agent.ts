/** What the results of several agents have: files, failed requests to sources, and remarks on what is missing. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, optionalText, optionalTrue, time } from '../../core/answer-fields.ts';

export const faults = field(
  v.array(
    v.object({
      address: field(v.string(), 'The URL that was requested, or the place in the source.'),
      reason: field(v.string(), 'What went wrong there, in a few words.'),
    }),
  ),
  'The requests to this source that failed; empty if none did.',
);
/** Set without a language model, where one was needed. */
export const incomplete = v.exactOptional(
  field(v.literal(false), 'Set to false if no language model was configured and something was asked that needs one.'),
);
export const promptVersion = optionalText(
  'The version of the prompts that the language model got; absent if none was asked.',
);
export const truncated = optionalTrue('Always true: parts were left out of the response; a JSON file has all of them.');

export const resultFile = v.object({
  name: field(v.string(), 'The file name to save it under, such as `report.pdf`.'),
  content_type: field(v.string(), 'The media type of the file, such as `application/pdf`.'),
  size_bytes: field(count, 'The length of the file in bytes.'),
  url: field(v.pipe(v.string(), v.url()), 'A signed URL of the file that needs no credential; valid for one hour.'),
  expires_at: field(time, 'Until when `url` works, in UTC; read the results again for another URL.'),
});
export type ResultFile = v.InferOutput<typeof resultFile>;
export const files = v.exactOptional(
  field(v.array(resultFile), 'The report or the values as files, in the requested format; absent if there are none.'),
);
