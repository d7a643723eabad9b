/** One call of an API: credential, time-out, retries with the wait that was asked for, one idempotency key for all of them. */
import { addressIn, headerIn } from './checked.ts';
import { answeredError, type ErrandError, notErrand, objectIn, retryAfter } from './errors.ts';
import { pause } from './pause.ts';
import { attempt, mayPass, SECOND_MS, type TryOptions, waitBefore } from './tries.ts';

export type CallOptions = {
  /** Ends the call, whatever it is doing. */
  signal?: AbortSignal | undefined;
  /** Made up when you give none. Give your own to go on after a crash of yours. */
  idempotencyKey?: string | undefined;
};

export type ClientOptions = TryOptions;

export type Asked = CallOptions & {
  method?: 'GET' | 'POST' | 'DELETE';
  query?: Record<string, string | number | undefined>;
  body?: object;
  /** A POST that takes no idempotency key. */
  isKeyless?: boolean;
};

export type Answered<T> = { body: T; retryAfterMs: number };
export type Caller = <T>(path: string, request?: Asked) => Promise<Answered<T>>;

/** `renew`: a credential that was refused may be a new one at the next try. */
export type Credential = { token(signal?: AbortSignal): Promise<string>; renew?(refused: string): boolean } | undefined;

export function caller(root: string, credential: Credential, o: ClientOptions = {}): Caller {
  const { origin, base } = addressIn('The base address', root, 'http');
  const send = o.fetch ?? ((address, init) => fetch(address, init));

  const sent = <T>(address: string, init: Request, signal: AbortSignal | undefined): Promise<Answered<T>> =>
    attempt(origin, { signal, timeoutMs: o.timeoutMs }, async (ending) => {
      const response = await send(address, { ...init, signal: ending.signal });
      return answerIn<T>(response, await response.text());
    });

  return async function call<T>(path: string, request: Asked = {}): Promise<Answered<T>> {
    const { signal } = request;
    const address = base + path + queryOf(request.query);
    const init = requestOf(request);
    const isRenewed = renewingOnce(credential);
    for (let tried = 0; ; tried++) {
      const token = await credential?.token(signal);
      authorize(init, token);
      try {
        return await sent<T>(address, init, signal);
      } catch (thrown) {
        const error = thrown as ErrandError;
        if (isGoneAlready(init.method, tried, error)) return { body: undefined as T, retryAfterMs: 0 };
        if (isRenewed(error, token)) continue;
        await pause(waitBefore(error, { ...o, tried, isWorthIt: isWorthIt(init, error) }), signal);
      }
    }
  };
}

/** Most want nothing but what was answered. */
export const bodiesOf =
  (call: Caller) =>
  async <T>(path: string, request?: Asked): Promise<T> =>
    (await call<T>(path, request)).body;

function authorize({ headers }: Request, token: string | undefined): void {
  if (token !== undefined) headers.authorization = `Bearer ${token}`;
}

/** Renews a rejected credential, at most once a call. */
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
  if (method === 'POST' && !isKeyless) {
    headers['idempotency-key'] = headerIn('The idempotencyKey', idempotencyKey ?? crypto.randomUUID());
  }
  return { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
}

function queryOf(query: Asked['query'] = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
  return `${parameters}` && `?${parameters}`;
}

/** The first call under this key is still running: its answer is ours, too. */
const isRunning = ({ method }: Request, { code, status }: ErrandError): boolean =>
  method === 'POST' && code === 'IDEMPOTENCY_CONFLICT' && status === 409;

const isWorthIt = (init: Request, error: ErrandError): boolean => mayPass(error) || isRunning(init, error);

function answerIn<T>(response: Response, text: string): Answered<T> {
  if (!response.ok) throw answeredError(response, text);
  if (response.status === 204) return { body: undefined as T, retryAfterMs: 0 };
  if (response.headers.get('content-type')?.startsWith('text/markdown')) return { body: text as T, retryAfterMs: 0 };
  const body = objectIn(text);
  if (!body) throw notErrand(response, text);
  return { body: body as T, retryAfterMs: (retryAfter(response.headers) ?? 0) * SECOND_MS };
}
