/** Where an answer sends us, and what goes along to there. */
import type { IncomingMessage } from 'node:http';
import type { Message } from './exchange.ts';
import { utf8Of } from './header-text.ts';

const MOVED = new Set([301, 302, 303, 307, 308]);
/** All that another origin gets to see of the caller's headers. */
const HARMLESS = new Set(['accept', 'accept-language', 'user-agent']);

/** Undefined = the answer is the end of the way. Only what changes nothing is sent on. */
export function nextAddress(from: URL, method: Message['method'], response: IncomingMessage): string | undefined {
  const { statusCode = 0, headers } = response;
  if (method !== 'GET' || !MOVED.has(statusCode) || !headers.location) return undefined;
  const text = utf8Of(headers.location);
  // What cannot be read is judged, and refused, as it stands.
  return URL.parse(text, from.href)?.href ?? text;
}

export function messageFor(next: string, from: URL, message: Message): Message {
  if (URL.parse(next)?.origin === from.origin) return message;
  const headers = Object.entries(message.headers).filter(([name]) => HARMLESS.has(name.toLowerCase()));
  return { ...message, headers: Object.fromEntries(headers) };
}
