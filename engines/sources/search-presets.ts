/** The differences between search providers: requests, the location of hits in responses, and unsupported options. */

import type { SearchPreset } from '../../shared/accounts/search-provider.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { DAY_MS } from '../../shared/core/time.ts';

export type SearchQuery = {
  text: string;
  count: number;
  /** Days or instants in ISO 8601; both ends are included. */
  from?: string;
  to?: string;
  /** ISO 639-1, such as `de`. */
  language?: string;
  includeDomains?: string[];
  excludeDomains?: string[];
};

export type SearchHit = {
  url: string;
  title: string;
  snippet: string;
  publishedAt?: string;
  /** The text of the page, if the provider includes it. */
  text?: string;
};

/** The page counts from 0. */
type PageRequest = { query: SearchQuery; page: number; count: number; now: number };
type Call = { parameters?: Record<string, string>; body?: Record<string, unknown> };

/** The options that a provider supports. The others are applied here, or named in the notes. */
type Abilities = { dates: 'exact' | 'coarse'; domains: boolean; language(code: string): boolean };

export type Preset = {
  path: string;
  can: Abilities;
  maxCount: number;
  /** The maximum number of pages to request. */
  pages: number;
  /** The maximum number of concurrent requests for one key. */
  atOnce: number;
  authorization(key: string): Record<string, string>;
  call(request: PageRequest): Call;
  /** The path of the list of hits, and the fields of a hit; the first field with text counts. */
  hits: readonly string[];
  fields: { url?: string; title: string; snippet: readonly string[]; published: readonly string[]; text?: string };
};

const MAX_BRAVE_CHARACTERS = 400;
const MAX_BRAVE_WORDS = 50;
const MAX_SITES = 5;
const LAST_DAY = '2100-01-01';
const FIRST_DAY = '1970-01-01';

const dayOf = (text: string): string => text.slice(0, 10);

/** Adds search operators for domains as far as the length limit allows. The hits are filtered afterwards, too. */
function withSites({ text, includeDomains = [], excludeDomains = [] }: SearchQuery): string {
  const included = includeDomains.slice(0, MAX_SITES).map((domain) => `site:${domain}`);
  const excluded = excludeDomains.slice(0, MAX_SITES).map((domain) => `-site:${domain}`);
  const sites = includeDomains.length > MAX_SITES ? [] : included;
  return [text, sites.length > 1 ? `(${sites.join(' OR ')})` : sites.join(''), ...excluded].filter(Boolean).join(' ');
}

/** Shortens the question, but not its operators. */
function braveText(query: SearchQuery): string {
  const operators = withSites({ ...query, text: '' }).trim();
  const operatorWords = operators === '' ? [] : operators.split(' ');
  const words = query.text.split(/\s+/).slice(0, MAX_BRAVE_WORDS - operatorWords.length);
  while (words.length > 1 && [...words, ...operatorWords].join(' ').length > MAX_BRAVE_CHARACTERS) words.pop();
  return [...words, ...operatorWords].join(' ').slice(0, MAX_BRAVE_CHARACTERS).toWellFormed();
}

/** The shortest time range of SearXNG that includes the first day; `undefined` if none does. */
function rangeBackTo(from: string | undefined, now: number): string | undefined {
  if (from === undefined) return undefined;
  const days = (now - Date.parse(from)) / DAY_MS;
  return (
    [
      ['day', 1],
      ['month', 30],
      ['year', 365],
    ] as const
  ).find(([, length]) => days <= length)?.[0];
}

/** Brave responds 422 to other languages, and uses its own codes for some. */
const BRAVE_LANGUAGES = new Set(
  'ar eu bn bg ca hr cs da nl en et fi fr gl de el gu he hi hu is it kn ko lv lt ms ml mr nb pl pa ro ru sr sk sl es sv ta te th tr uk vi'.split(
    ' ',
  ),
);
const BRAVE_NAMES: Record<string, string> = { ja: 'jp', pt: 'pt-pt', zh: 'zh-hans', no: 'nb' };

const braveLanguage = (code: string): string | undefined =>
  BRAVE_LANGUAGES.has(code) ? code : Object.hasOwn(BRAVE_NAMES, code) ? BRAVE_NAMES[code] : undefined;

/** A day in the format of Google's date range. */
const monthFirst = (text: string): string => {
  const [year, month, day] = dayOf(text).split('-');
  return `${month}/${day}/${year}`;
};

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

export const PRESETS: Record<SearchPreset, Preset> = {
  searxng: {
    path: 'search',
    can: { dates: 'coarse', domains: false, language: () => true },
    maxCount: 20,
    pages: 3,
    atOnce: 4,
    authorization: bearer,
    call: ({ query, page, now }) => ({
      parameters: definedFields({
        q: withSites(query),
        format: 'json',
        pageno: `${page + 1}`,
        language: query.language,
        time_range: rangeBackTo(query.from, now),
      }),
    }),
    hits: ['results'],
    fields: { title: 'title', snippet: ['content'], published: ['publishedDate'] },
  },
  brave: {
    path: 'res/v1/web/search',
    can: { dates: 'exact', domains: false, language: (code) => braveLanguage(code) !== undefined },
    maxCount: 20,
    pages: 10,
    atOnce: 1,
    authorization: (key) => ({ 'x-subscription-token': key }),
    call: ({ query, page, count }) => ({
      parameters: definedFields({
        q: braveText(query),
        count: `${count}`,
        offset: `${page}`,
        text_decorations: 'false',
        search_lang: query.language && braveLanguage(query.language),
        freshness:
          query.from === undefined && query.to === undefined
            ? undefined
            : `${dayOf(query.from ?? FIRST_DAY)}to${dayOf(query.to ?? LAST_DAY)}`,
      }),
    }),
    hits: ['web', 'results'],
    fields: { title: 'title', snippet: ['description'], published: ['page_age'] },
  },
  tavily: {
    path: 'search',
    can: { dates: 'exact', domains: true, language: () => false },
    maxCount: 20,
    pages: 1,
    atOnce: 4,
    authorization: bearer,
    call: ({ query, count }) => ({
      body: definedFields({
        query: query.text,
        max_results: count,
        include_raw_content: true,
        start_date: query.from && dayOf(query.from),
        end_date: query.to && dayOf(query.to),
        include_domains: query.includeDomains,
        exclude_domains: query.excludeDomains,
      }),
    }),
    hits: ['results'],
    fields: { title: 'title', snippet: ['content'], published: ['published_date'], text: 'raw_content' },
  },
  exa: {
    path: 'search',
    can: { dates: 'exact', domains: true, language: () => false },
    maxCount: 100,
    pages: 1,
    atOnce: 4,
    authorization: (key) => ({ 'x-api-key': key }),
    call: ({ query, count }) => ({
      body: definedFields({
        query: query.text,
        numResults: count,
        contents: { text: { maxCharacters: 20_000 } },
        startPublishedDate: query.from && `${dayOf(query.from)}T00:00:00.000Z`,
        endPublishedDate: query.to && `${dayOf(query.to)}T23:59:59.999Z`,
        includeDomains: query.includeDomains,
        excludeDomains: query.excludeDomains,
      }),
    }),
    hits: ['results'],
    fields: { title: 'title', snippet: ['summary', 'text'], published: ['publishedDate'], text: 'text' },
  },
  serper: {
    path: 'search',
    can: { dates: 'exact', domains: false, language: () => false },
    maxCount: 10,
    pages: 5,
    atOnce: 4,
    authorization: (key) => ({ 'x-api-key': key }),
    call: ({ query, page, count }) => ({
      body: definedFields({
        q: withSites(query),
        num: count,
        page: page + 1,
        tbs:
          query.from === undefined && query.to === undefined
            ? undefined
            : `cdr:1,cd_min:${monthFirst(query.from ?? FIRST_DAY)},cd_max:${monthFirst(query.to ?? LAST_DAY)}`,
      }),
    }),
    hits: ['organic'],
    // Its dates are phrases such as `3 days ago`; the page itself has a more exact one.
    fields: { url: 'link', title: 'title', snippet: ['snippet'], published: [] },
  },
};
