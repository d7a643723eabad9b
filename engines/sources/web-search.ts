/** Searches the web with the provider of an organization, or with the operator's own SearXNG. */

import { hash } from 'node:crypto';
import { openSearchKey, type SearchPreset, searchProviderOf } from '../../shared/accounts/search-provider.ts';
import { isInScope } from '../../shared/agents/research-scope.ts';
import { lruCache } from '../../shared/core/cache.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { isProblem } from '../../shared/core/problem.ts';
import { capacityFor, type Semaphore, semaphore } from '../../shared/core/semaphore.ts';
import { DAY_MS, HOUR_MS } from '../../shared/core/time.ts';
import type { Vault } from '../../shared/core/vault.ts';
import type { Clock, Table } from '../../shared/ports.ts';
import { parseInstant } from '../../shared/sources/parse-instant.ts';
import { isOutboundFailure } from '../outbound/failure.ts';
import type { OutboundRequest, OutboundResponse } from '../outbound/request.ts';
import { operatorPolicy, publicPolicy, type UrlPolicy } from '../outbound/ssrf-policy.ts';
import { sleep, type WaitWithSignal } from './read-url.ts';
import { PRESETS, type Preset, type SearchHit, type SearchQuery } from './search-presets.ts';

/** The notes describe what the provider refused, and which options it does not support. */
export type SearchAnswer = {
  hits: SearchHit[];
  notes: string[];
  /** No request was sent, because the organization sent the same query within a day. */
  isCached?: true;
};
/** Rejects only with the reason of the caller's signal. */
export type SearchConnector = {
  name: string;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchAnswer>;
};
/** Returns `undefined` if neither the organization nor the operator has configured a provider. */
export type FindSearchConnector = (organization: string) => Promise<SearchConnector | undefined>;

const MAX_BYTES = 4_000_000;
const TIMEOUT_MS = 20_000;
/** A longer pause counts as a refusal: the task does not wait for the next month. */
const MAX_PAUSE_MS = 30_000;
const MAX_COUNT = 60;
const MAX_PAGES = 5;
const MAX_ATTEMPTS = 2;
/** Pages of hits, which some providers deliver with the texts of the pages: the cache stays below 40 MB. */
const CACHED_ANSWERS = 100;
const MAX_CACHED = 400_000;
const LIMITS = { url: 2_048, title: 500, snippet: 2_000, text: 100_000 };

/** The state of one key at one provider: its concurrent requests, and the earliest time of the next one. */
type KeyLimiter = { slots: Semaphore; nextAt: number };

type SearchPorts = { request: OutboundRequest; clock: Clock; wait?: WaitWithSignal };
type Target = { organization: string; preset: SearchPreset; url: string; key?: string; policy: UrlPolicy };

/** The longest reset time of the rate limit windows that are used up, such as Brave's for a second and a month. */
function pauseAfter(headers: Record<string, string>): number {
  const figures = (name: string) => (headers[name] ?? '').split(',').map((text) => Number.parseFloat(text));
  const resets = figures('x-ratelimit-reset');
  const empty = figures('x-ratelimit-remaining').map((left, at) => (left <= 0 ? (resets[at] ?? 0) : 0));
  return 1_000 * Math.max(0, ...empty.filter(Number.isFinite));
}

const retryAfter = (headers: Record<string, string>): number =>
  1_000 * Math.max(1, Number.parseInt(headers['retry-after'] ?? '', 10) || 0);

/** 432 and 433 are Tavily's: the plan, or its pay-as-you-go limit, is used up. */
const REFUSALS: Record<number, string> = {
  401: 'does not accept the key',
  402: 'wants to be paid: the credit of the key is used up',
  403: 'refuses the request',
  432: 'says that the plan of the key is used up',
  433: 'says that the spending limit of the key is reached',
};

const JSON_REMEDY = 'refuses JSON: add "json" to search.formats in its settings.yml';

function refusalOf(preset: SearchPreset, status: number): string {
  if (preset === 'searxng' && status === 403) return JSON_REMEDY;
  if (status >= 300 && status < 400) return 'redirects, which is not followed: enter the address it leads to';
  return REFUSALS[status] ?? `answered with status ${status}`;
}

type PageAnswer = { hits: SearchHit[]; isCached?: true } | { refusal: string };

async function askOnce(
  { request, clock }: SearchPorts,
  target: Target,
  { page, query, count }: PageCall,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  const preset = PRESETS[target.preset];
  const { parameters = {}, body } = preset.call({ query, page, count, now: clock.now() });
  const url = new URL(preset.path, target.url.endsWith('/') ? target.url : `${target.url}/`);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  // Redirects are not followed, so that the key is sent to no other URL.
  return request(url.href, {
    policy: target.policy,
    maxBytes: MAX_BYTES,
    limits: { totalMs: TIMEOUT_MS, headersMs: TIMEOUT_MS },
    headers: {
      accept: 'application/json',
      'user-agent': 'errand-search/1',
      ...(target.key === undefined ? {} : preset.authorization(target.key)),
      ...(body ? { 'content-type': 'application/json' } : {}),
    },
    ...(body ? { method: 'POST' as const, body: JSON.stringify(body) } : {}),
    signal,
  });
}

/** The maximum number of concurrent requests to all providers. */
const MAX_CONCURRENT = 8;

const keyNameOf = ({ url, key = '' }: Target): string =>
  hash('sha256', JSON.stringify([new URL(url).origin, key]), 'base64url');

/**
 * Sends requests to search providers, with one limiter for each key. Organizations may share a key: that of the
 * operator's SearXNG. Results are cached for a day, for each organization separately.
 */
export function searchClient({ request, clock, wait = sleep }: SearchPorts) {
  const requests = semaphore({ name: 'searchRequests', capacity: capacityFor(MAX_CONCURRENT) });
  const limiters = lruCache<string, KeyLimiter>({ max: 1_000, ttlMs: HOUR_MS, clock });
  const cache = lruCache<string, SearchHit[]>({ max: CACHED_ANSWERS, ttlMs: DAY_MS, clock });

  function limiterOf(target: Target): KeyLimiter {
    const name = keyNameOf(target);
    const { atOnce } = PRESETS[target.preset];
    const limiter = limiters.get(name) ?? { slots: semaphore({ capacity: capacityFor(atOnce) }), nextAt: 0 };
    limiters.set(name, limiter);
    return limiter;
  }

  /** Returns the reason if the pause would be too long. */
  async function waitForTurn(limiter: KeyLimiter, signal: AbortSignal): Promise<string | undefined> {
    const pause = limiter.nextAt - clock.now();
    if (pause > MAX_PAUSE_MS) return `allows no request before ${new Date(limiter.nextAt).toISOString()}`;
    if (pause > 0) await wait(pause, signal);
    return undefined;
  }

  async function askPage(target: Target, call: PageCall, signal: AbortSignal): Promise<PageAnswer> {
    const limiter = limiterOf(target);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const refusal = await waitForTurn(limiter, signal);
      if (refusal !== undefined) return { refusal };
      const answer = await askOnce({ request, clock }, target, call, signal);
      const pause = Math.max(pauseAfter(answer.headers), answer.status === 429 ? retryAfter(answer.headers) : 0);
      limiter.nextAt = Math.max(limiter.nextAt, clock.now() + pause);
      if (answer.status === 200) return hitsIn(PRESETS[target.preset], await readText(answer));
      answer.cancel();
      if (answer.status !== 429) return { refusal: refusalOf(target.preset, answer.status) };
    }
    return { refusal: 'is asked more often than it allows' };
  }

  async function readPage(target: Target, call: PageCall, signal: AbortSignal): Promise<PageAnswer> {
    signal.throwIfAborted();
    const cacheKey = JSON.stringify([target.organization, target.preset, target.url, keyNameOf(target), call]);
    const cached = cache.get(cacheKey);
    if (cached) return { hits: cached, isCached: true };
    const slot = { organization: target.organization, signal };
    const { slots } = limiterOf(target);
    try {
      const answer = await slots.run(slot, () => requests.run(slot, () => askPage(target, call, signal)));
      if ('hits' in answer && isWorthKeeping(answer.hits, call.page)) cache.set(cacheKey, answer.hits);
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (isOutboundFailure(error)) return { refusal: failureText(error.reason) };
      throw error;
    }
  }

  return (target: Target): SearchConnector => ({
    name: target.preset,
    search: (query, signal) =>
      searchPages(target.preset, query, (page, count) => readPage(target, { query, page, count }, signal)),
  });
}

/** An empty first page is not cached, because the provider may find something soon; an empty later page stays empty. */
const isWorthKeeping = (hits: readonly SearchHit[], page: number): boolean =>
  (hits.length > 0 || page > 0) && JSON.stringify(hits).length <= MAX_CACHED;

type ReadPage = (page: number, count: number) => Promise<PageAnswer>;

/** Reads pages until there are enough hits, a page has no new hits, or the provider refuses. */
async function searchPages(name: SearchPreset, query: SearchQuery, readPage: ReadPage): Promise<SearchAnswer> {
  const preset = PRESETS[name];
  const maxHits = Math.min(Math.max(1, query.count), MAX_COUNT);
  const hitsByUrl = new Map<string, SearchHit>();
  const notes = unsupportedOptions(name, query);
  let isCached = true;
  for (let page = 0; page < Math.min(preset.pages, MAX_PAGES) && hitsByUrl.size < maxHits; page++) {
    const answer = await readPage(page, Math.min(maxHits, preset.maxCount));
    isCached &&= 'isCached' in answer;
    if ('refusal' in answer) {
      notes.push(`${name} ${answer.refusal}.`);
      break;
    }
    const fresh = answer.hits.filter(({ url }) => !hitsByUrl.has(url));
    if (fresh.length === 0) break;
    for (const hit of fresh) hitsByUrl.set(hit.url, hit);
  }
  const hits = [...hitsByUrl.values()].filter((hit) => isInScope(hit, query)).slice(0, maxHits);
  return { hits, notes, ...(isCached ? { isCached } : {}) };
}

type PageCall = { query: SearchQuery; page: number; count: number };

const failureText = (reason: string): string =>
  reason === 'tooLarge' ? 'sent an answer that is too large' : `could not be reached (${reason})`;

async function readText({ body }: OutboundResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

function hitsIn(preset: Preset, text: string): PageAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return { refusal: 'sent an answer that is not JSON' };
  }
  const list = preset.hits.reduce(fieldOf, answer);
  // Brave omits the whole group if it found nothing.
  if (list === undefined || list === null) return { hits: [] };
  if (!Array.isArray(list)) return { refusal: 'sent an answer of another form than its documentation shows' };
  return { hits: list.map((item) => toHit(preset, item)).filter((hit) => hit !== undefined) };
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

function toHit({ fields }: Preset, item: unknown): SearchHit | undefined {
  const textOf = (names: readonly string[], max: number): string =>
    names
      .map((name) => fieldOf(item, name))
      .find((value): value is string => typeof value === 'string' && value.trim() !== '')
      ?.slice(0, max)
      .toWellFormed() ?? '';
  const url = URL.parse(textOf([fields.url ?? 'url'], LIMITS.url));
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '') return undefined;
  url.hash = '';
  const text = fields.text === undefined ? '' : textOf([fields.text], LIMITS.text);
  return {
    url: url.href,
    title: plainText(textOf([fields.title], LIMITS.title)) || url.hostname,
    snippet: plainText(textOf(fields.snippet, LIMITS.snippet)),
    ...definedFields({ publishedAt: parseInstant(textOf(fields.published, 80)), text: text || undefined }),
  };
}

const plainText = (text: string): string =>
  text
    .replaceAll(/<\/?[a-z][^<>]{0,100}>/gi, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

function unsupportedOptions(name: SearchPreset, { language, from, to }: SearchQuery): string[] {
  const { can } = PRESETS[name];
  const notes: string[] = [];
  if (language !== undefined && !can.language(language)) {
    notes.push(`${name} cannot search in this language only: ${language}.`);
  }
  if (can.dates === 'coarse' && (from ?? to) !== undefined) {
    notes.push(`${name} knows only the last day, month or year: other dates are left out afterwards.`);
  }
  return notes;
}

/** `allowSources`: the origins on one machine whose certificates `ca` signs. */
type ConnectorPorts = SearchPorts & {
  table: Table;
  vault: Vault;
  searchUrl: string | undefined;
  allowSources?: readonly string[];
  ca?: string | undefined;
};

/** Prefers the provider of the organization over the operator's. */
export function searchConnectors({
  table,
  vault,
  searchUrl,
  allowSources = [],
  ca,
  ...ports
}: ConnectorPorts): FindSearchConnector {
  const connect = searchClient(ports);
  return async (organization) => {
    const provider = await searchProviderOf(table, organization);
    if (provider) {
      const { preset, url } = provider;
      try {
        const key = await openSearchKey(vault, organization, provider);
        return connect({
          organization,
          preset,
          url,
          policy: publicPolicy({ ownHosts: [] }),
          ...definedFields({ key }),
        });
      } catch (error) {
        if (!isProblem(error, 'unreadable')) throw error;
        return unreadable(preset);
      }
    }
    if (searchUrl === undefined) return undefined;
    const isAllowedSource = allowSources.includes(new URL(searchUrl).origin);
    const policy = operatorPolicy({ origins: [searchUrl], ...(isAllowedSource ? definedFields({ ca }) : {}) });
    return connect({ organization, preset: 'searxng', url: searchUrl, policy });
  };
}

const unreadable = (name: string): SearchConnector => ({
  name,
  search: async () => ({ hits: [], notes: [`The key of ${name} can no longer be opened: enter it again.`] }),
});
