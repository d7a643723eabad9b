/** The input of the research agent. */

import * as v from 'valibot';
import {
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
  words,
} from './field-schemas.ts';
import { knownWord, type Option, RESEARCH_OPTIONS } from './research-options.ts';

const MAX_QUERY = 10_000;
const FORMATS = ['json', 'markdown', 'html', 'pdf'] as const;
export type ResearchFormat = (typeof FORMATS)[number];
export const RESEARCH_FORMATS: OpenWord<ResearchFormat> = { choices: FORMATS, fallback: 'json' };

const LENGTHS = ['short', 'standard', 'long'] as const;
export type ReportLength = (typeof LENGTHS)[number];
const UNCONFIRMED = ['mark', 'remove'] as const;
const MAX_FILES = 20;

/** Also rejects `2026-02-30`, which Date would turn into a day in March. */
const isDay = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
};

const day = () =>
  v.pipe(
    v.string('must be a date such as 2026-01-31'),
    v.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2026-01-31'),
    v.check(isDay, 'must be a date such as 2026-01-31'),
  );

export const LAST = { day: 1, week: 7, month: 31, year: 366 } as const;
const RANGES = Object.keys(LAST) as (keyof typeof LAST)[];

const timeRange = () =>
  v.union(
    [
      oneOf(RANGES),
      v.pipe(
        inside({ from: maybe(day()), to: maybe(day()) }),
        v.check(({ from, to }) => from != null || to != null, 'must have from, to or both'),
        v.check(
          ({ from, to }) => from == null || to == null || from <= to,
          'must have a from that is not after its to',
        ),
      ),
    ],
    `must be one of ${RANGES.join(', ')}, or an object with from and to as dates such as 2026-01-31`,
  );

const IS_DOMAIN = /^[^\s/:@?#*]+\.[^\s/:@?#*]+$/;
const hostOf = (text: string): string | undefined => URL.parse(`https://${text}`)?.hostname;

const domain = () =>
  v.pipe(
    words(),
    v.check((text) => IS_DOMAIN.test(text) && hostOf(text) !== undefined, 'must be a domain such as example.com'),
    v.transform((text) => hostOf(text) ?? text),
  );

const language = () =>
  v.pipe(
    v.string('must be a code of two letters such as de'),
    v.regex(/^[a-z]{2}$/i, 'must be a code of two letters such as de'),
    v.toLowerCase(),
  );

export const researchInput = (sources: readonly string[]) =>
  inside({
    ...modelFields(),
    query: words(MAX_QUERY),
    research_type: maybe(words()),
    sources: maybe(list(oneOf(sources))),
    geographic_scope: maybe(list(words())),
    depth: maybe(words()),
    analysis_depth: maybe(words()),
    deliverables: maybe(list(words())),
    length: maybe(oneOf(LENGTHS)),
    unconfirmed: maybe(oneOf(UNCONFIRMED)),
    output_format: maybe(openWord(FORMATS)),
    include_domains: maybe(list(domain())),
    exclude_domains: maybe(list(domain())),
    time_range: maybe(timeRange()),
    language: maybe(language()),
    file_ids: maybe(list(words(), { max: MAX_FILES })),
    previous_task_id: maybe(words()),
    ...recordFields({ listOf: 'entity' }),
  });

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const researchTexts = () => ({
  ...modelTexts(),
  query: `The question to answer from the sources; at most ${MAX_QUERY} characters.`,
  research_type:
    'Such as `market_analysis`: decides the default sections and adds words to the search queries; any text, default none.',
  sources: 'Names from `GET /sources`; default: the three that come with Errand, or none beside `file_ids`.',
  geographic_scope: 'Places that documents should be about, such as `Germany`; default: no restriction.',
  depth: 'How many documents are read: `overview` 6, `standard` 12 (default), `comprehensive` 30.',
  analysis_depth: 'How many findings are kept: `basic` 8, `detailed` 30 (default), `expert` 80.',
  deliverables:
    'The sections of the report, such as `key_findings` and `charts`, or titles of your own; default: by `research_type`.',
  length: 'How much the sections say: `short`, `standard` (default) or `long`; it does not change how much is read.',
  unconfirmed:
    'What happens to sentences that the check does not confirm: `mark` (default) publishes them with a mark, `remove` leaves them out.',
  output_format:
    'The format of the report file; `json` by default and for any other word. The results are always JSON.',
  include_domains: 'Only pages of these domains and their subdomains are read; default: of any domain.',
  exclude_domains: 'Pages of these domains and their subdomains are not read; default: none is excluded.',
  time_range:
    'Only what was published then: `day`, `week`, `month` or `year` back from now, or `{from, to}`. Undated items stay, and are counted in a note.',
  'time_range.from': 'The first day, such as `2026-01-31`; default: no limit.',
  'time_range.to': 'The last day, included; default: no limit.',
  language: 'The language of the pages that a search provider looks for, such as `de`; default: any.',
  file_ids: `Stored files of your organization to read as sources, at most ${MAX_FILES}: see \`POST /files\`.`,
  previous_task_id:
    'A completed research of your organization, whose notes and kept texts this one starts from; default: none.',
  output_schema:
    'JSON Schema (a documented subset) of the record to fill from the documents read; an array of objects gives one for each entity.',
  ...recordTexts(),
});

export type ResearchInput = v.InferOutput<ReturnType<typeof researchInput>>;

/** The options with an unknown word. */
export const unknownOptions = (input: Pick<ResearchInput, Option>): Option[] =>
  (Object.keys(RESEARCH_OPTIONS) as Option[]).filter((option) => {
    const value = input[option];
    return value != null && knownWord(RESEARCH_OPTIONS[option], value) === undefined;
  });
