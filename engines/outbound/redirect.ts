/** Where an answer sends us, and what goes along to there. */
import type { IncomingMessage } from 'node:http';
import type { RequestMessage } from './exchange.ts';
import { toUtf8 } from './header-text.ts';

const REDIRECT_STATUSES = new Set([301, 302, 303, 307, 308]);
/** All that another origin gets to see of the caller's headers. */
const CROSS_ORIGIN_HEADERS = new Set(['accept', 'accept-language', 'user-agent']);

/** Undefined = the answer is the end of the way. Only what changes nothing is sent on. */
export function redirectUrl(
  from: URL,
  method: RequestMessage['method'],
  response: IncomingMessage,
): string | undefined {
  const { statusCode = 0, headers } = response;
  if (method !== 'GET' || !REDIRECT_STATUSES.has(statusCode) || !headers.location) return undefined;
  const text = toUtf8(headers.location);
  // What cannot be read is judged, and refused, as it stands.
  return URL.parse(text, from.href)?.href ?? text;
}

export function messageForRedirect(next: string, from: URL, message: RequestMessage): RequestMessage {
  if (URL.parse(next)?.origin === from.origin) return message;
  const headers = Object.entries(message.headers).filter(([name]) => CROSS_ORIGIN_HEADERS.has(name.toLowerCase()));
  return { ...message, headers: Object.fromEntries(headers) };
}
