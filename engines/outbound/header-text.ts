/** Header values as their senders meant them: Node reads each byte as a character, most servers send UTF-8. */
import type { IncomingHttpHeaders } from 'node:http';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export function utf8Of(value: string): string {
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
      utf8Of(Array.isArray(value) ? value.join(', ') : `${value}`),
    ]),
  );
