/** Opens the web page of a hit: obeys robots.txt, uses one connection for each host, and reads the page in the document threads. */

import { lruCache } from '../../shared/core/cache.ts';
import type { Semaphore } from '../../shared/core/semaphore.ts';
import { capacityFor, semaphore } from '../../shared/core/semaphore.ts';
import { DAY_MS } from '../../shared/core/time.ts';
import type { Clock, FetchedResponse, Outbound } from '../../shared/ports.ts';
import type { Connector } from '../../shared/sources/source-schema.ts';
import { isDocumentFailure, type SourceEntry } from '../documents/document.ts';
import type { Documents } from '../documents/documents.ts';
import { documentEntry, hostThrottle, readBody, toUtf8Bytes, type WaitWithSignal } from './read-url.ts';
import { ALLOW_ALL, isAllowedBy, parseRobots, ROBOTS_NAME, type Robots } from './robots.ts';

/** `isCached`: the page was opened earlier, within a day. */
type OpenedPage = {
  url: string;
  title: string;
  text: string;
  publishedAt?: string;
  fetchedAt: number;
  isCached?: true;
};

/** `refused` is for programs, `explanation` follows the URL in a message. */
type PageRefusal = {
  refused:
    | 'robots'
    | 'not_allowed'
    | 'unreachable'
    | 'gone'
    | 'busy'
    | 'paywall'
    | 'login'
    | 'consent'
    | 'empty'
    | 'unreadable';
  explanation: string;
};

type PageRequest = { organization: string; signal: AbortSignal; ownHosts: string[] };

/** Rejects only with the reason of the caller's signal. */
export type OpenPage = (url: string, ask: PageRequest) => Promise<OpenedPage | PageRefusal>;

type PageOpenerPorts = {
  clock: Clock;
  outbound: Outbound;
  documents: Documents;
  wait?: WaitWithSignal;
  /** The only origins whose pages are opened on a port other than 443: those that the operator named. */
  allowedOrigins?: ReadonlySet<string>;
};

type Ports = Omit<PageOpenerPorts, 'wait'> & {
  inTurn: ReturnType<typeof hostQueue>;
  robotsOf: (origin: string, ask: PageRequest) => Promise<Robots | undefined>;
  requests: Semaphore;
};

const PAGE_BYTES = 5_000_000;
const SECONDS = 15;
const MAX_REDIRECTS = 5;
const PAUSE_MS = 1_000;
const HEADERS = { 'user-agent': `${ROBOTS_NAME}/1`, accept: 'text/html, application/pdf, */*;q=0.5' };

const MAX_CONCURRENT = 8;
/** Texts have up to 200,000 characters, so the cache stays below 40 MB. */
const CACHED_PAGES = 100;

/** Pages that were opened are kept for a day, for the organization that opened them. */
export function pageOpener({ wait, ...basePorts }: PageOpenerPorts): OpenPage {
  const { clock } = basePorts;
  const requests = semaphore({ name: 'pageRequests', capacity: capacityFor(MAX_CONCURRENT) });
  const inTurn = hostQueue(hostThrottle({ clock, ...(wait ? { wait } : {}) }));
  const ports: Ports = { ...basePorts, requests, inTurn, robotsOf: robotsReader({ ...basePorts, requests, inTurn }) };
  const opened = lruCache<string, OpenedPage>({ max: CACHED_PAGES, clock, ttlMs: DAY_MS });
  return async (url, ask) => {
    const key = JSON.stringify([ask.organization, url]);
    const cached = opened.get(key);
    if (cached) return { ...cached, isCached: true };
    ask.signal.throwIfAborted();
    const page = await openUncached(ports, url, ask);
    if (!('refused' in page)) opened.set(key, page);
    return page;
  };
}

const refusal = (refused: PageRefusal['refused'], explanation: string): PageRefusal => ({ refused, explanation });

const BUSY = refusal('busy', 'is on a host that is asked too often');
const NOT_ALLOWED = refusal('not_allowed', 'has a URL that is not allowed');

/** Follows redirects one by one, as each hop needs the permission and the pause of its own host. */
async function openUncached(ports: Ports, address: string, ask: PageRequest): Promise<OpenedPage | PageRefusal> {
  let here = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    const url = URL.parse(here);
    if (url?.protocol !== 'https:' || (url.port !== '' && !ports.allowedOrigins?.has(url.origin))) return NOT_ALLOWED;
    const answer = (hop > 0 ? wallAt(url) : undefined) ?? (await openHop(ports, url, ask));
    if (!('redirect' in answer)) return answer;
    here = URL.parse(answer.redirect, url.href)?.href ?? '';
  }
  return refusal('unreachable', 'is redirected too often');
}

/** The wall that a redirect leads to, by its URL. */
function wallAt({ host, pathname }: URL): PageRefusal | undefined {
  if (CONSENT_URL.test(host + pathname)) return CONSENT;
  return LOGIN_URL.test(pathname) ? refusal('login', 'leads to a login page') : undefined;
}

async function openHop(ports: Ports, url: URL, ask: PageRequest): Promise<OpenedPage | PageRefusal | Redirect> {
  const robots = await ports.robotsOf(url.origin, ask);
  if (!robots) return refusal('unreachable', 'is on a host whose robots.txt could not be fetched');
  if (!isAllowedBy(robots, url)) return refusal('robots', 'may not be opened by programs (robots.txt)');
  const answer = await ports.inTurn(url.host, ask.signal, () =>
    ports.requests.run(ask, () => fetchPage(ports, url.href, ask)),
  );
  return answer ?? BUSY;
}

type Redirect = { redirect: string };

async function fetchPage(ports: Ports, url: string, ask: PageRequest): Promise<OpenedPage | PageRefusal | Redirect> {
  const fetched = await ports.outbound(url, {
    maxBytes: PAGE_BYTES,
    maxRedirects: 0,
    anyStatus: true,
    seconds: SECONDS,
    headers: HEADERS,
    ownHosts: ask.ownHosts,
    signal: ask.signal,
  });
  if (fetched === 'refused') return NOT_ALLOWED;
  if (fetched === 'failed') return refusal('unreachable', 'could not be fetched');
  const { status, headers } = fetched;
  if (status !== 200) {
    fetched.cancel();
    if (status >= 300 && status < 400 && headers.location) return { redirect: headers.location };
    return refusalOf(status);
  }
  const bytes = await readBody(fetched, ask.signal);
  if (typeof bytes === 'string') return refusal('unreadable', bytes);
  return readPage(ports, { fetched, bytes, ask });
}

function refusalOf(status: number): PageRefusal {
  if (status === 402) return PAYWALL;
  if (status === 401 || status === 403) return refusal('login', `is not open to everyone (status ${status})`);
  if (status === 404 || status === 410) return refusal('gone', 'no longer exists');
  return refusal(status === 429 ? 'busy' : 'unreachable', `answered with status ${status}`);
}

const CONSENT = refusal('consent', 'shows only a question for consent');
const PAYWALL = refusal('paywall', 'is behind a paywall');
const CONSENT_URL = /(?:^|[./-])(?:consent|cookie-?(?:wall|consent))(?:[./-]|$)/i;
const LOGIN_URL = /\/(?:log-?in|sign-?in|anmelden|connexion)(?:[./-]|$)/i;

/** Only short pages count as walls: an article may mention cookies and subscriptions. */
const MAX_WALL = 1_200;
const MIN_LETTERS = 40;
const CONSENT_WORDS =
  /\b(?:accept (?:all )?cookies|we use cookies|cookie consent|alle cookies akzeptieren|zustimmen und weiter|accepter (?:tous )?les cookies|aceptar (?:todas )?las cookies|accetta (?:tutti )?i cookie)\b/i;
const PAYWALL_WORDS =
  /\b(?:subscribe to (?:continue|read)|subscribers only|to continue reading|already a subscriber|jetzt weiterlesen|nur für abonnenten|réservé aux abonnés|solo para suscriptores|riservato agli abbonati)\b/i;
const NOT_FREE = /"isAccessibleForFree"\s*:\s*"?false/i;
const IS_HTML = /^\s*(?:text\/html|application\/xhtml\+xml)\b/i;

type Answer = { fetched: FetchedResponse; bytes: Uint8Array; ask: PageRequest };

async function readPage(
  { documents, clock }: Ports,
  { fetched, bytes, ask }: Answer,
): Promise<OpenedPage | PageRefusal> {
  const type = fetched.headers['content-type'] ?? '';
  const isHtml = IS_HTML.test(type);
  try {
    if (bytes.length === 0) return EMPTY;
    const entry = isHtml
      ? await pageEntry(documents, toUtf8Bytes(bytes, type), { fetched, ask })
      : await documentEntry(documents, { fetched, bytes, ask });
    const wall = entry ? wallIn(entry.text, isHtml ? bytes : undefined) : EMPTY;
    if (!entry || wall) return wall ?? EMPTY;
    const { title, text, publishedAt } = entry;
    return { url: fetched.url, title, text, fetchedAt: clock.now(), ...(publishedAt ? { publishedAt } : {}) };
  } catch (error) {
    ask.signal.throwIfAborted();
    if (isDocumentFailure(error)) return refusal('unreadable', error.message);
    throw error;
  }
}

const EMPTY = refusal('empty', 'holds no text');

/** `html` is absent for files. */
function wallIn(text: string, html: Uint8Array | undefined): PageRefusal | undefined {
  if ((text.match(/\p{L}/gu)?.length ?? 0) < MIN_LETTERS) return EMPTY;
  if (!html || text.length > MAX_WALL) return undefined;
  if (CONSENT_WORDS.test(text)) return CONSENT;
  return PAYWALL_WORDS.test(text) || NOT_FREE.test(Buffer.from(html).toString('latin1')) ? PAYWALL : undefined;
}

/** The readers use only `kind`, because the request has been made already. */
const AS_PAGE: Extract<Connector, { kind: 'page' }> = {
  kind: 'page',
  address: [],
  headers: {},
  limits: { seconds: SECONDS, bytes: PAGE_BYTES, requests: 1, pauseMs: PAUSE_MS },
};

async function pageEntry(
  documents: Documents,
  bytes: Uint8Array,
  { fetched, ask }: Pick<Answer, 'fetched' | 'ask'>,
): Promise<SourceEntry | undefined> {
  const shape = { of: AS_PAGE, base: fetched.url, about: [], max: 1 };
  const { entries } = await documents.entries({ bytes, shape }, ask);
  return entries[0];
}

/** Runs the requests to one host in sequence, with a pause. Returns `undefined` if the queue is too long. */
function hostQueue(waitForHost: ReturnType<typeof hostThrottle>) {
  const lasts = new Map<string, Promise<unknown>>();
  return async <T>(host: string, signal: AbortSignal, work: () => Promise<T>): Promise<T | undefined> => {
    const before = lasts.get(host) ?? Promise.resolve();
    const turn = before.then(async () => {
      signal.throwIfAborted();
      return (await waitForHost(host, PAUSE_MS, signal)) ? work() : undefined;
    });
    const last = turn.catch(() => undefined);
    lasts.set(host, last);
    try {
      return await turn;
    } finally {
      if (lasts.get(host) === last) lasts.delete(host);
    }
  };
}

const ROBOTS_BYTES = 512_000;
const ROBOTS_REDIRECTS = 5;
const ROBOTS_HOSTS = 1_000;

type RobotsPorts = Pick<Ports, 'clock' | 'outbound' | 'inTurn' | 'requests'>;

/** Keeps the rules of a host for a day. A host whose robots.txt cannot be fetched is not opened (RFC 9309, 2.3.1.4). */
function robotsReader({ clock, outbound, inTurn, requests }: RobotsPorts): Ports['robotsOf'] {
  const robotsByOrigin = lruCache<string, Robots>({ max: ROBOTS_HOSTS, clock, ttlMs: DAY_MS });

  /** Returns `undefined` if the host did not respond, which may be temporary. */
  async function fetchRobots(origin: string, { ownHosts, signal }: PageRequest): Promise<Robots | undefined> {
    const fetched = await outbound(`${origin}/robots.txt`, {
      maxBytes: ROBOTS_BYTES,
      maxRedirects: ROBOTS_REDIRECTS,
      anyStatus: true,
      seconds: SECONDS,
      headers: HEADERS,
      ownHosts,
      signal,
    });
    // The request for the page will be refused for the same reason, and reports it.
    if (fetched === 'refused') return ALLOW_ALL;
    if (fetched === 'failed') return undefined;
    const isMissing = fetched.status >= 400 && fetched.status < 500 && fetched.status !== 429;
    if (fetched.status !== 200) fetched.cancel();
    if (isMissing) return ALLOW_ALL;
    const bytes = fetched.status === 200 ? await readBody(fetched, signal) : '';
    return typeof bytes === 'string' ? undefined : parseRobots(Buffer.from(bytes).toString('utf8'));
  }

  return async (origin, ask) => {
    const cached = robotsByOrigin.get(origin);
    if (cached) return cached;
    const fetched = () => requests.run(ask, () => fetchRobots(origin, ask));
    // Another task may have fetched them while this one waited.
    const fresh = await inTurn(new URL(origin).host, ask.signal, async () => robotsByOrigin.get(origin) ?? fetched());
    if (fresh) robotsByOrigin.set(origin, fresh);
    return fresh;
  };
}
