/** The results of a research: what was asked, searched, read and found, and what the report says of it. Not part of any bundle. */
import * as v from 'valibot';
import { count, field, optionalText, time, timeOrNull } from '../../core/answer-fields.ts';
import { faults, files, incomplete, promptVersion, truncated } from './every-agent.ts';
import { recordEntries } from './records.ts';

const text = v.string();
const texts = v.array(v.string());
const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

const citation = v.object({
  document: field(count, 'The number of the document in `documents`.'),
  quote: field(text, 'The words of the document that support the statement, exactly as they stand there.'),
  page: v.exactOptional(field(count, 'The page, slide or sheet that the quote stands on, if the document has pages.')),
  from: v.exactOptional(field(count, 'Where the quote begins in the text of its part, in UTF-16 code units.')),
  to: v.exactOptional(field(count, 'Where the quote ends in the text of its part.')),
  text_by: v.exactOptional(field(v.literal('source'), 'Set if the page was not opened: the text is its source’s.')),
  label: optionalText('The label of another part of a file, such as the name of a sheet.'),
});
/** A place as the page, or the label of another part, and where the quote begins and ends in it. */
export type ShownCitation = v.InferOutput<typeof citation>;
const checkedBy = field(
  v.nullable(v.picklist(['code', 'model'])),
  'Who confirmed it: `code` if it is quoted, `model` if a second look at its quotes agreed. Null if nothing confirmed it, or nothing was checked yet.',
);
export type CheckedBy = v.InferOutput<typeof checkedBy>;
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
export type WrittenSentence = v.InferOutput<typeof sentence>;
const paragraph = v.object({
  text: field(text, 'Plain text of one paragraph; escape it where you display it.'),
  sentences: field(v.array(sentence), 'The sentences of the paragraph in order, each with the check that it passed.'),
  citations: field(v.array(count), 'The numbers of the documents that support it.'),
  findings: field(v.array(count), 'The numbers of the findings that it is made of.'),
  is_quote: field(v.boolean(), 'True for a quote, cut from its document.'),
  dated: optionalText('Of a quote: the date of its document.'),
});
export type WrittenParagraph = v.InferOutput<typeof paragraph>;
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
export type DataTable = v.InferOutput<typeof dataTable>;
export type DataRow = DataTable['rows'][number];
const deliverable = v.object({
  deliverable: field(text, 'The section as the request called it, such as `key_findings`.'),
  title: field(text, 'The heading of the section, for a reader.'),
  paragraphs: field(v.array(paragraph), 'The text of the section; empty for tables, charts and lists of documents.'),
  table: v.exactOptional(field(dataTable, 'The figures of a section such as `data_table`.')),
  charts: v.exactOptional(field(v.array(count), 'The numbers of the charts that belong here.')),
  documents: v.exactOptional(field(v.array(count), 'The numbers of the documents that the section lists.')),
  note: optionalText('Why the section is empty, or shorter than expected.'),
});
export type WrittenDeliverable = v.InferOutput<typeof deliverable>;
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
export type ShownFinding = v.InferOutput<typeof finding>;
export type ComputedFigure = NonNullable<ShownFinding['computed']>[number];
export type NotedFigure = NonNullable<ShownFinding['figures']>[number];
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
/** A document before it is known whether the report cites it. */
export type ResearchDocument = Omit<v.InferOutput<typeof researchDocument>, 'cited' | 'snapshot'>;
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
export type SourceState = v.InferOutput<typeof researchSource>;
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
const outcome = v.nullable(v.picklist(['found', 'nothing_found']));
export type Outcome = v.InferOutput<typeof outcome>;
export const researchResults = v.object({
  query: field(text, 'The question as it was submitted.'),
  outcome: v.exactOptional(
    field(
      outcome,
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
export type ResearchResults = v.InferOutput<typeof researchResults>;
export type SubQuestion = NonNullable<ResearchResults['plan']>['sub_questions'][number];
export type LeftOutCounts = ResearchResults['left_out'];
/** A record of all documents, or a list of one for each entity. */
export type ResearchRecord = NonNullable<ResearchResults['record']>;
