/** The results of the three agents as schemas, typed as the agents write them. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, optionalText, optionalTrue, time, timeOrNull } from '../http/contract.ts';
import { basisEntries, documentClass, documentRecord, recordEntries, scalar } from './record-contract.ts';
import type { ResultFile } from './task-view.ts';

const text = v.string();
const texts = v.array(v.string());
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));
const faults = field(
  v.array(
    v.object({
      address: field(text, 'The URL that was requested, or the place in the source.'),
      reason: field(text, 'What went wrong there, in a few words.'),
    }),
  ),
  'The requests to this source that failed; empty if none did.',
);
/** Set without a language model, where one was needed. */
const incomplete = v.exactOptional(
  field(v.literal(false), 'Set to false if no language model was configured and something was asked that needs one.'),
);
const promptVersion = optionalText('The version of the prompts that the language model got; absent if none was asked.');
const truncated = optionalTrue('Always true: parts were left out of the response; a JSON file has all of them.');

const resultFile = v.object({
  name: field(text, 'The file name to save it under, such as `report.pdf`.'),
  content_type: field(text, 'The media type of the file, such as `application/pdf`.'),
  size_bytes: field(count, 'The length of the file in bytes.'),
  url: field(v.pipe(text, v.url()), 'A signed URL of the file that needs no credential; valid for one hour.'),
  expires_at: field(time, 'Until when `url` works, in UTC; read the results again for another URL.'),
}) satisfies v.GenericSchema<unknown, ResultFile>;
export const files = v.exactOptional(
  field(v.array(resultFile), 'The report or the values as files, in the requested format; absent if there are none.'),
);

const citation = v.object({
  document: field(count, 'The number of the document in `documents`.'),
  quote: field(text, 'The words of the document that support the statement, exactly as they stand there.'),
  page: v.exactOptional(field(count, 'The page, slide or sheet that the quote stands on, if the document has pages.')),
  from: v.exactOptional(field(count, 'Where the quote begins in the text of its part, in UTF-16 code units.')),
  to: v.exactOptional(field(count, 'Where the quote ends in the text of its part.')),
  text_by: v.exactOptional(field(v.literal('source'), 'Set if the page was not opened: the text is its source’s.')),
  label: optionalText('The label of another part of a file, such as the name of a sheet.'),
});
const checkedBy = field(
  v.nullable(v.picklist(['code', 'model'])),
  'Who confirmed it: `code` if it is quoted, `model` if a second look at its quotes agreed. Null if nothing confirmed it, or nothing was checked yet.',
);
const unconfirmed = optionalText('Set if nothing confirmed it: the reason in words. The report marks it.');
const computed = v.exactOptional(
  field(
    v.array(
      v.object({
        formula: field(text, 'Numbers of the quotes and what is done with them, such as `640 - 598`.'),
        value: field(
          v.union([v.number(), v.string()]),
          'The result, computed by code and not by the model: a number, or a day such as `2026-03-31`.',
        ),
      }),
    ),
    'How figures of the statement that no quote has follow from figures of the quotes.',
  ),
);
const sentence = v.object({
  text: field(text, 'One sentence of the paragraph, as plain text.'),
  checked_by: checkedBy,
  kind: v.exactOptional(
    field(
      v.picklist(['missing', 'advice']),
      '`missing`: says what the documents do not say. `advice`: what the writer concludes for the reader.',
    ),
  ),
  unconfirmed,
  findings: field(v.array(count), 'The numbers of the findings that it rests on.'),
  citations: field(v.array(count), 'The numbers of the documents that it rests on.'),
  computed,
});
const paragraph = v.object({
  text: field(text, 'Plain text of one paragraph; escape it where you display it.'),
  sentences: field(v.array(sentence), 'The sentences of the paragraph in order, each with the check that it passed.'),
  citations: field(v.array(count), 'The numbers of the documents that support it.'),
  findings: field(v.array(count), 'The numbers of the findings that it is made of.'),
  is_quote: field(v.boolean(), 'True for a quote, cut from its document.'),
  dated: optionalText('Of a quote: the date of its document.'),
});
const dataTable = v.object({
  columns: field(texts, 'The headings of the table, from left to right.'),
  rows: field(
    v.array(
      v.object({
        cells: field(texts, 'The texts of the row, one for each column.'),
        document: field(v.nullable(count), 'The number of the document it comes from; null if that was not read.'),
        citations: v.exactOptional(
          field(
            v.array(v.array(count)),
            'For each cell the numbers of the documents that it cites: the last one has those of the row.',
          ),
        ),
        value: v.exactOptional(
          field(v.number(), 'The number of the cell with the value; absent if that cell is text of a document.'),
        ),
        unconfirmed,
      }),
    ),
    'The figures of the sources, one row for each.',
  ),
  rows_left_out: field(count, 'How many more rows there were than are shown.'),
});
const deliverable = v.object({
  deliverable: field(text, 'The section as the request called it, such as `key_findings`.'),
  title: field(text, 'The heading of the section, for a reader.'),
  paragraphs: field(v.array(paragraph), 'The text of the section; empty for tables, charts and lists of documents.'),
  table: v.exactOptional(field(dataTable, 'The figures of a section such as `data_table`.')),
  charts: v.exactOptional(field(v.array(count), 'The numbers of the charts that belong here.')),
  documents: v.exactOptional(field(v.array(count), 'The numbers of the documents that the section lists.')),
  note: optionalText('Why the section is empty, or shorter than expected.'),
});
const finding = v.object({
  finding: field(count, 'The number of the finding, from 1; the best comes first.'),
  text: field(text, 'The statement as plain text, of one or a few sentences.'),
  is_quote: field(v.boolean(), 'True if it is quoted word for word; false if a model wrote it.'),
  checked_by: checkedBy,
  citations: field(v.array(citation), 'The passages it rests on; each was found in its document.'),
  unconfirmed,
  computed,
  figures: v.exactOptional(
    field(
      v.array(
        v.object({
          label: field(text, 'What it measures, as a model noted it.'),
          value: field(v.nullable(v.number()), 'With its scale; null if it can be read in two ways.'),
          text: field(text, 'The figure as its document writes it.'),
          unit: field(v.nullable(text), 'The unit, such as `EUR` or `%`; null without one.'),
          scale: field(
            v.number(),
            'The factor of a scale that its quote or what stands around it gives, such as 1000000; else 1.',
          ),
          period: field(v.nullable(text), 'The period as the document names it; null if it names none for the figure.'),
          when: optionalText('The period as `2025`, `2025-03`, `2025-Q1` or `2025-03-31`.'),
          document: field(count, 'The number of the document that it stands in.'),
        }),
      ),
      'The figures of the statement; number, unit and period stand in a quote. Absent if it has none.',
    ),
  ),
  sub_question: field(count, 'The number of the sub-question of the `plan` that it belongs to.'),
  topics: field(texts, 'The headings of the sections it belongs to.'),
});
const researchDocument = v.object({
  document: field(count, 'The number that citations refer to, from 1 for the most relevant.'),
  status: field(
    v.picklist(['chosen', 'read']),
    '`read` once its text was searched for statements; `chosen` before, and if its page is outside of the request.',
  ),
  source: field(text, 'The name of the source it came from.'),
  title: field(text, 'The headline of the item; empty if it has none.'),
  address: field(text, 'Its URL, or `source:<name>#<number>` for an entry without one.'),
  published_at: field(timeOrNull, 'When it was published, in UTC; null if the source does not say.'),
  sample_data: field(v.boolean(), 'True if it is fictional data that comes with Errand.'),
  text_by: v.exactOptional(
    field(
      v.picklist(['source', 'page']),
      'Where its text comes from: what the source delivered, or the page at `address`. Absent before it is read.',
    ),
  ),
  not_opened: optionalText('Why the page at `address` could not be opened, as words that follow the URL.'),
  redirected_to: optionalText('The URL that the page was read at, if `address` redirects to another one.'),
  fetched_at: v.exactOptional(field(time, 'When its text was fetched, in UTC; absent before it is read.')),
  sha256: optionalText('The SHA-256 of its text, as the snapshot has it; absent before it is read.'),
  previous: v.exactOptional(
    field(
      v.object({
        task_id: field(text, 'The `previous_task_id` of the request.'),
        document: field(count, 'The number of the document in the results of that task.'),
      }),
      'Set if the text is the one that the earlier research kept: it was not fetched again.',
    ),
  ),
  snapshot: v.exactOptional(
    field(v.nullable(text), 'If cited, the path of its text as it was read; null in partial results, or if not kept.'),
  ),
  relevance: field(share, 'Its score as a share of the score of the best document.'),
  duplicates: field(
    v.array(
      v.object({
        source: field(text, 'The name of the source with the repetition.'),
        title: field(text, 'The headline that the repetition has.'),
        address: field(text, 'The URL of the repetition.'),
      }),
    ),
    'The same story elsewhere, which was not read.',
  ),
  cited: field(v.boolean(), 'True if a finding or a section refers to it.'),
});
const researchSource = v.object({
  source: field(text, 'The name of the source, as in the request.'),
  status: field(
    v.picklist(['pending', 'read', 'empty', 'dead']),
    '`pending`: not requested yet. `empty`: it returned nothing. `dead`: nothing but failures.',
  ),
  items: field(count, 'How many items it returned.'),
  queries: field(count, 'How many requests were sent to it.'),
  sample_data: field(v.boolean(), 'True if it is fictional data that comes with Errand.'),
  faults,
});
const chart = v.object({
  chart: field(count, 'The number of the chart, from 1, which sections refer to.'),
  kind: field(v.picklist(['line', 'bar']), '`line` for values over time, `bar` for a comparison.'),
  title: field(text, 'What the values measure, for a reader.'),
  unit: optionalText('What the values are counted in, such as `EUR`; absent if unknown.'),
  x: field(
    v.object({ labels: field(texts, 'The days of a line, or the names of the bars.') }),
    'The horizontal axis, from left to right.',
  ),
  series: field(
    v.array(
      v.object({
        name: field(text, 'What this line or group of bars shows.'),
        values: field(v.array(v.nullable(v.number())), 'One number for each label of `x`; null leaves a gap.'),
      }),
    ),
    'The lines or bars: at most eight lines of at most 60 points.',
  ),
  source: optionalText('Where the values come from, for a caption.'),
  documents: field(v.array(count), 'The numbers of the documents that the values come from.'),
});
const researchResults = v.object({
  query: field(text, 'The question as it was submitted.'),
  outcome: v.exactOptional(
    field(
      v.nullable(v.picklist(['found', 'nothing_found'])),
      '`nothing_found`: the research completed, and nothing that it read answers the query. Null until the sections are written.',
    ),
  ),
  research_type: field(v.nullable(text), 'The type as it was submitted; null without one.'),
  geographic_scope: field(texts, 'The places as they were submitted; empty without any.'),
  depth: field(text, 'The depth that was applied: `overview`, `standard` or `comprehensive`.'),
  analysis_depth: field(text, 'The analysis depth that was applied: `basic`, `detailed` or `expert`.'),
  plan: field(
    v.nullable(
      v.object({
        queries: field(texts, 'The search queries of all rounds, the question itself first.'),
        made_by: field(v.picklist(['model', 'rules']), 'Whether a language model added queries, or rules made all.'),
        sub_questions: field(
          v.array(
            v.object({
              sub_question: field(count, 'The number that findings refer to, from 1.'),
              text: field(text, 'The part of the question; the whole of it if it has one part.'),
              status: field(
                v.picklist(['open', 'partly', 'covered']),
                '`covered` once a finding answers it; `partly` if the model that plans misses something in the findings. Without a language model, `open`.',
              ),
            }),
          ),
          'The parts of the question. Rounds of searching go on until all are covered or the budget of the `depth` is used.',
        ),
      }),
    ),
    'What the sources are searched for; null before planning is done.',
  ),
  deliverables: field(v.array(deliverable), 'The sections of the report, in the order that was asked for.'),
  findings: field(v.array(finding), 'All statements with their citations, the best first.'),
  documents: field(v.array(researchDocument), 'The documents that were chosen, in the order of their numbers.'),
  sources: field(v.array(researchSource), 'What each requested source returned.'),
  left_out: field(
    v.object({
      irrelevant: field(count, 'Items that match the question too little.'),
      duplicates: field(count, 'Items that repeat a story that is read.'),
      beyond_depth: field(count, 'Relevant items that exceed the number of documents of the `depth`.'),
      findings: v.exactOptional(
        field(
          count,
          'Findings that exceed the number of the `analysis_depth`, the least important ones; absent without any.',
        ),
      ),
    }),
    'How many items were gathered and not read, by reason, and how many findings are not kept.',
  ),
  statements_thrown_out: field(count, 'Statements of a model that are not published.'),
  thrown_out_for: field(
    v.record(text, count),
    'How many for each reason: `no_citation`, `figure`, `formula`, `contradicted`, `not_stated`, `unchecked`, `withdrawn` by the writer, or `depends` on a sentence that was left out.',
  ),
  figures_thrown_out: v.exactOptional(
    field(count, 'Figures that a model noted and no quote of the statement has; absent if there are none.'),
  ),
  charts: field(v.array(chart), 'At most six charts of the figures that came with the items.'),
  output_schema: v.exactOptional(
    field(
      v.record(v.string(), v.unknown()),
      'The submitted schema, in which every field may be null and arrays empty.',
    ),
  ),
  record: v.exactOptional(
    field(
      v.object({
        data: field(
          v.union([v.record(v.string(), v.unknown()), v.array(v.record(v.string(), v.unknown()))]),
          'Valid in `output_schema`: the record of all documents, or an array with one of each entity.',
        ),
        ...recordEntries,
      }),
      'With a schema: what the documents say of its fields. `document` in a basis is a number of `documents`.',
    ),
  ),
  complete: incomplete,
  notes: field(texts, 'What a reader must know first, such as sample data or sources that failed.'),
  prompt_version: promptVersion,
  files,
  truncated,
});

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
const processedDocument = v.object({
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
const pendingDocument = v.object({
  ...documentFields,
  status: field(v.literal('pending'), 'Always `pending`: the task ended before it was read.'),
});
const failedDocument = v.object({
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
const processingResults = v.object({
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

const notificationResults = v.object({
  notification_type: field(v.nullable(text), 'The type as it was submitted; null without one.'),
  format: field(v.picklist(['html', 'markdown', 'text']), 'The format of the e-mail that was applied.'),
  run: field(v.nullable(count), 'The number of the run, from 1; null for a task that runs once.'),
  slot: field(timeOrNull, 'The time that the run was scheduled for, in UTC; null for a task that runs once.'),
  subject: field(v.nullable(text), 'The subject line of the e-mail; null before it was composed.'),
  counts: field(
    v.object({
      sent: field(count, 'E-mails that the mail service accepted.'),
      suppressed: field(count, 'Addresses that were skipped, as they unsubscribed, bounced or complained.'),
      refused: field(count, 'E-mails that the mail service rejected.'),
    }),
    'How many recipients had each outcome when the run ended.',
  ),
  recipients: field(
    v.array(
      v.object({
        address: field(text, 'The e-mail address as it was submitted.'),
        status: field(
          v.picklist(['pending', 'sent', 'not_sent', 'suppressed', 'refused', 'bounced', 'complained']),
          '`sent`: the mail service accepted it. Later feedback makes it `bounced` or `complained`. `not_sent`: the condition does not hold.',
        ),
        at: field(timeOrNull, 'When the status was reached, in UTC; null while pending.'),
        message_id: field(v.nullable(text), 'The `Message-ID` header of the e-mail; null if none was sent.'),
        reason: field(v.nullable(text), 'Why it was skipped, rejected or returned; null otherwise.'),
        sent_at: v.exactOptional(field(timeOrNull, 'When it was sent, in UTC; only after feedback came.')),
      }),
    ),
    'The outcome for each address, also feedback that came later; empty at the end of a preview.',
  ),
  sources: field(
    v.array(
      v.object({
        source: field(text, 'The name of the source, as in the request.'),
        items: field(count, 'How many items it returned.'),
        is_sample: field(v.boolean(), 'True if it is fictional data that comes with Errand.'),
        queries: field(count, 'How many requests were sent to it.'),
        faults,
      }),
    ),
    'What each source returned; empty for an e-mail that only carries a message.',
  ),
  charts: field(count, 'How many charts the e-mail has, at most three.'),
  condition: v.exactOptional(
    field(
      v.object({
        text: v.exactOptional(field(text, 'The condition as it was submitted, if it is a sentence.')),
        figure: v.exactOptional(field(text, 'The label of the figure as it was submitted.')),
        above: v.exactOptional(field(v.nullable(v.number()), 'The value has to be greater than this number.')),
        below: v.exactOptional(field(v.nullable(v.number()), 'The value has to be less than this number.')),
        source: v.exactOptional(field(v.nullable(text), 'The source that the figure was looked for in.')),
        holds: field(v.boolean(), 'True: it holds. False: nobody got an e-mail.'),
        why: field(text, 'Why it holds or does not, in one sentence.'),
        evidence: field(
          v.array(
            v.object({
              source: field(text, 'The name of the source that has the item.'),
              title: field(text, 'The title of the item that says so.'),
              address: field(v.nullable(text), 'The link of the item; null for sample data.'),
              published_at: field(timeOrNull, 'When the item was published, in UTC; null if its source does not say.'),
              quote: field(text, 'The words of the item, or the figure with its value and unit.'),
              value: v.exactOptional(field(v.number(), 'The value of the figure that was compared.')),
              unit: v.exactOptional(field(text, 'The unit of the figure; empty without one.')),
            }),
          ),
          'The passages of new items that decide it; empty if it does not hold.',
        ),
      }),
      'What was judged of `content.condition`; absent without one.',
    ),
  ),
  preview: v.exactOptional(
    field(
      v.object({
        subject: field(text, 'The subject line that the e-mail would have.'),
        text: field(text, 'The text part of the e-mail, at most 20,000 characters; the file `mail.txt` has all of it.'),
        html_file: field(
          v.nullable(text),
          'The name of the file with the HTML part, its pictures inside; null for the format `text`.',
        ),
        would_be_sent: field(v.boolean(), 'False if `content.condition` does not hold now.'),
        would_go_to: field(count, 'How many of the recipients have not unsubscribed, and would get it.'),
      }),
      'The e-mail of a preview, which nobody got; absent for a notification.',
    ),
  ),
  prompt_version: promptVersion,
  files,
});

/** The schemas by their names in the documents. */
export const resultSchemas = {
  ResultFile: resultFile,
  ResearchResults: researchResults,
  ProcessedDocument: processedDocument,
  PendingDocument: pendingDocument,
  FailedDocument: failedDocument,
  ProcessingResults: processingResults,
  NotificationResults: notificationResults,
};
