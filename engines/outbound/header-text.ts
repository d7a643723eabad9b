/** Header values as their senders meant them: Node reads each byte as a character, most servers send UTF-8. */
import type { IncomingHttpHeaders } from 'node:http';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function toUtf8(value: string): string {
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

export const headersOf = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      toUtf8(Array.isArray(value) ? value.join(', ') : `${value}`),
    ]),
  );
