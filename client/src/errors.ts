/** The client's only error type, with a code, a message and a remedy. */
import type { ErrorBody } from './contracts/agents.ts';

/** Codes of the services, and those of the client itself. */
export type ErrandCode =
  | ErrorBody['error']['code']
  | 'INVALID_REQUEST'
  | 'BAD_OPTION'
  | 'NETWORK'
  | 'TIMEOUT'
  | 'ABORTED'
  | 'NOT_ERRAND'
  | 'UPLOAD_FAILED'
  | 'WAIT_TIMEOUT'
  | 'TASK_FAILED'
  | 'WEBHOOK_NOT_OURS';

const REMEDIES: Record<ErrandCode, string> = {
  INVALID_REQUEST: 'Correct what the message names and call again.',
  UNAUTHORIZED: 'Check the API key, or log in again.',
  FORBIDDEN: 'Call with a key or a role that may do this.',
  NOT_FOUND: 'Check the id: it may have expired, been deleted, or belong to another organization.',
  TASK_VALIDATION_FAILED: 'Correct the fields in details.invalid_fields; details.reasons says what each may be.',
  TASK_NOT_FOUND: 'Check the id: it may have expired, or belong to another organization.',
  TASK_NOT_COMPLETED: 'Wait for the end of the task, then ask again.',
  TASK_NOT_CANCELLABLE: 'Nothing is left to cancel: read its results.',
  IDEMPOTENCY_CONFLICT: 'Use an idempotency key for one body only, and wait for its first call.',
  METHOD_NOT_ALLOWED: 'Check the base URL: this path does not accept the method.',
  PAYLOAD_TOO_LARGE: 'Send less in one call; upload large content as a file.',
  UNSUPPORTED_MEDIA_TYPE: 'Send JSON.',
  FILE_NOT_READABLE: 'Upload another file: this one cannot be read.',
  RATE_LIMIT_EXCEEDED: 'Call again after retryAfterSeconds, and more slowly.',
  INSUFFICIENT_RESOURCES: 'The service is at capacity. Retry after retryAfterSeconds.',
  INTERNAL_ERROR: 'Call again; if it persists, give the operator the request id.',
  BAD_OPTION: 'Correct the option that the message names.',
  NETWORK: 'Check that the URL is correct and reachable from here.',
  TIMEOUT: 'Call again, or raise timeoutMs.',
  ABORTED: 'Your signal aborted this call.',
  NOT_ERRAND: 'Check the base URL, and whether a proxy is in between.',
  UPLOAD_FAILED: 'Upload again: the URL is new each time.',
  WAIT_TIMEOUT: 'The task goes on: wait again, or cancel it.',
  TASK_FAILED: 'Read what the message says, then submit the task again.',
  WEBHOOK_NOT_OURS: 'Return 401, and check the secret and the clock of this machine.',
};

export type ErrandErrorDetails = {
  status?: number | undefined;
  requestId?: string | undefined;
  details?: Record<string, unknown>;
  retryAfterSeconds?: number | undefined;
  /** Replaces the default remedy of the code. */
  remedy?: string;
  cause?: unknown;
};

export class ErrandError extends Error {
  override name = 'ErrandError';
  declare readonly code: ErrandCode;
  /** The HTTP status, if there was a response. */
  declare readonly status: number | undefined;
  /** Include it when you contact the operator. */
  declare readonly requestId: string | undefined;
  declare readonly details: Record<string, unknown>;
  declare readonly retryAfterSeconds: number | undefined;
  /** What to do about the error. */
  declare readonly remedy: string;

  constructor(code: ErrandCode, message: string, o: ErrandErrorDetails = {}) {
    super(message, o);
    Object.assign(this, { code, details: {}, remedy: REMEDIES[code] }, o);
  }
}

/** `about`: the task and its status. The code of the task's own error is in `details`. */
export const taskFailed = ({ code, message }: { code: string; message: string }, about: object): ErrandError =>
  new ErrandError('TASK_FAILED', message, { details: { ...about, code } });

export const badOption = (message: string, o?: ErrandErrorDetails): ErrandError =>
  new ErrandError('BAD_OPTION', message, o);

const BY_STATUS: Record<number, ErrandCode> = {
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'IDEMPOTENCY_CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'IDEMPOTENCY_CONFLICT',
  429: 'RATE_LIMIT_EXCEEDED',
  503: 'INSUFFICIENT_RESOURCES',
};

export const codeOf = (status: number): ErrandCode =>
  BY_STATUS[status] ?? (status >= 500 ? 'INTERNAL_ERROR' : 'INVALID_REQUEST');

type ErrorContent = { code?: unknown; message?: unknown; details?: unknown; request_id?: unknown };

/** Converts an error response of either API, of the gateway in front of it, or of a server that is not Errand. */
export function answeredError(method: string, response: Response, text: string): ErrandError {
  const { status, headers } = response;
  const common = {
    status,
    requestId: requestIdIn(headers),
    retryAfterSeconds: retryAfter(headers),
  };
  const body = objectIn(text);
  const answer = body?.error;
  // Only a POST has an idempotency key.
  const byStatus = status === 422 && method === 'GET' ? 'FILE_NOT_READABLE' : codeOf(status);
  if (typeof answer === 'string') return new ErrandError(byStatus, answer, common);
  if (isObject(answer)) {
    const { code, message, details } = answer as ErrorContent;
    const knownCode = typeof code === 'string' && code in REMEDIES ? (code as ErrandCode) : byStatus;
    return new ErrandError(knownCode, String(message ?? code), {
      ...common,
      details: isObject(details) ? details : {},
    });
  }
  // An error message of the gateway.
  if (typeof body?.message === 'string') return new ErrandError(byStatus, body.message, common);
  return notErrand(response, text);
}

const MAX_SHOWN = 200;

export const notErrand = ({ status, headers, url }: Response, text: string): ErrandError =>
  new ErrandError(
    'NOT_ERRAND',
    `The response of ${url} is not Errand's: ${status} ${headers.get('content-type') ?? ''}`,
    {
      status,
      requestId: requestIdIn(headers),
      retryAfterSeconds: retryAfter(headers),
      details: { answer: text.slice(0, MAX_SHOWN) },
    },
  );

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The gateway uses another header for requests that it rejects itself. */
const requestIdIn = (headers: Headers): string | undefined =>
  headers.get('x-request-id') ?? headers.get('apigw-requestid') ?? undefined;

const SECOND_MS = 1_000;

/** Seconds, as the service sends them, or an HTTP date, as proxies may send. */
export function retryAfter(headers: Headers): number | undefined {
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : Math.max(0, Math.ceil((at - Date.now()) / SECOND_MS));
}
