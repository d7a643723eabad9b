/** One call of an API: credential, time-out, retries with the wait that was asked for, one idempotency key for all of them. */
import { answeredError, ErrandError, notErrand, objectIn, retryAfter } from './errors.ts';
import { aborted, pause } from './pause.ts';

export type CallOptions = {
  /** Ends the call, whatever it is doing. */
  signal?: AbortSignal | undefined;
  /** Made up when you give none. Give your own to go on after a crash of yours. */
  idempotencyKey?: string | undefined;
};

export type ClientOptions = {
  /** Of one try; of an upload for how long nothing may move. */
  timeoutMs?: number;
  /** After the first try. */
  retries?: number;
  /** The longest wait for another try; what asks for a longer one fails at once, and says so in `retryAfterSeconds`. */
  mostWaitMs?: number;
  fetch?: typeof globalThis.fetch;
};

export type Asked = CallOptions & {
  method?: 'GET' | 'POST' | 'DELETE';
  query?: Record<string, string | number | undefined>;
  body?: object;
  /** A POST that takes no idempotency key. */
  isKeyless?: boolean;
};

export type Answered<T> = { body: T; retryAfterMs: number };
export type Caller = <T>(path: string, asked?: Asked) => Promise<Answered<T>>;

/** `renew`: a credential that was refused may be a new one at the next try. */
export type Credential = { token(signal?: AbortSignal): Promise<string>; renew?(refused: string): boolean } | undefined;

export const TIMEOUT_MS = 35_000;
const FIRST_WAIT_MS = 250;
const SECOND_MS = 1_000;
const RETRIED = new Set([429, 500, 502, 503, 504]);

export function caller(root: string, credential: Credential, o: ClientOptions = {}): Caller {
  const base = baseOf(root);
  const { timeoutMs = TIMEOUT_MS, retries = 4, mostWaitMs = 60_000 } = o;
  const send = o.fetch ?? ((address, init) => fetch(address, init));

  return async function call<T>(path: string, asked: Asked = {}): Promise<Answered<T>> {
    const { signal } = asked;
    const address = base + path + queryOf(asked.query);
    const init = requestOf(asked);
    const isRenewed = renewingOnce(credential);
    for (let tried = 0; ; tried++) {
      const token = await credential?.token(signal);
      if (token !== undefined) init.headers.authorization = `Bearer ${token}`;
      const end = await once<T>(send, address, { init, timeoutMs, signal });
      if (!('error' in end)) return end;
      const { error } = end;
      if (isGoneAlready(init.method, tried, error)) return { body: undefined as T, retryAfterMs: 0 };
      if (!isRenewed(error, token)) await pause(waitBefore(error, init.method, tried), signal);
    }
  };

  function waitBefore(error: ErrandError, method: string, tried: number): number {
    const waitMs = waitOf(error, tried);
    const isWorthIt = mayPass(error) || (method === 'POST' && isRunning(error));
    if (!isWorthIt || tried >= retries || waitMs > mostWaitMs) throw error;
    return waitMs;
  }
}

/** A credential that was refused is made anew once in a call. */
function renewingOnce(credential: Credential): (error: ErrandError, token: string | undefined) => boolean {
  let hasRenewed = false;
  return ({ code }, token) => {
    if (hasRenewed || code !== 'UNAUTHORIZED' || token === undefined) return false;
    hasRenewed = credential?.renew?.(token) === true;
    return hasRenewed;
  };
}

/** The first try has deleted it, and its answer got lost. */
const isGoneAlready = (method: string, tried: number, { status }: ErrandError): boolean =>
  method === 'DELETE' && tried > 0 && status === 404;

type Request = { method: string; headers: Record<string, string>; body?: string };

function requestOf({ method = 'GET', body, isKeyless, idempotencyKey }: Asked): Request {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body) headers['content-type'] = 'application/json';
  if (method === 'POST' && !isKeyless) headers['idempotency-key'] = idempotencyKey ?? crypto.randomUUID();
  return { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
}

function baseOf(root: string): string {
  const url = URL.canParse(root) ? new URL(root) : undefined;
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') {
    throw new ErrandError(
      'BAD_OPTION',
      `${JSON.stringify(root)} is no address: give one such as https://errand.acme.org.`,
    );
  }
  return root.replace(/\/+$/, '');
}

function queryOf(query: Asked['query'] = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`;
}

/** The first call under this key is still running: its answer is ours, too. */
const isRunning = ({ code, status }: ErrandError): boolean => code === 'IDEMPOTENCY_CONFLICT' && status === 409;

export const mayPass = ({ code, status }: ErrandError): boolean =>
  code === 'NETWORK' || code === 'TIMEOUT' || (status !== undefined && RETRIED.has(status));

/** What was asked for and a little more, or twice as long each time, so that many callers do not come back together. */
function waitOf({ retryAfterSeconds }: ErrandError, tried: number): number {
  const usual = FIRST_WAIT_MS * 2 ** tried;
  if (retryAfterSeconds === undefined) return usual * (1 + Math.random()) * 0.5;
  return retryAfterSeconds * SECOND_MS + Math.random() * usual;
}

type Try = { init: Request; timeoutMs: number; signal: AbortSignal | undefined };

async function once<T>(send: typeof fetch, address: string, o: Try): Promise<Answered<T> | { error: ErrandError }> {
  const { init, timeoutMs, signal } = o;
  if (signal?.aborted) throw aborted(signal);
  const ending = new AbortController();
  const end = () => ending.abort();
  const timer = setTimeout(end, timeoutMs);
  signal?.addEventListener('abort', end, { once: true });
  try {
    const response = await send(address, { ...init, signal: ending.signal });
    return answerIn<T>(response, await response.text());
  } catch (cause) {
    if (signal?.aborted) throw aborted(signal);
    if (ending.signal.aborted)
      return { error: new ErrandError('TIMEOUT', `No answer within ${timeoutMs} ms.`, { cause }) };
    const { origin } = new URL(address);
    return { error: new ErrandError('NETWORK', `${origin} cannot be reached: ${reasonOf(cause)}.`, { cause }) };
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

function answerIn<T>(response: Response, text: string): Answered<T> | { error: ErrandError } {
  if (!response.ok) return { error: answeredError(response, text) };
  if (response.status === 204) return { body: undefined as T, retryAfterMs: 0 };
  const body = objectIn(text);
  if (!body) return { error: notErrand(response, text) };
  return { body: body as T, retryAfterMs: (retryAfter(response.headers) ?? 0) * SECOND_MS };
}

/** What lies behind the bare words of `fetch`. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: { code?: string; message?: string }; message?: string };
  return cause?.code ?? cause?.message ?? message ?? 'unknown';
}
