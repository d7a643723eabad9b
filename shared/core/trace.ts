/** What a caller's own tracing calls a request (W3C Trace Context): kept with what the request made, and passed on. */

/** Version 00, and of later versions the part that stays the same. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const VERSION = '00';
const MOST_CHARACTERS = 128;

/** The trace and its flags; whatever is no trace counts as none. */
export type Trace = { id: string; flags: string };

export function traceIn(header: string | undefined): Trace | undefined {
  if (header === undefined || header.length > MOST_CHARACTERS) return undefined;
  const [, version, id, flags, more] = TRACEPARENT.exec(header) ?? [];
  if (id === undefined || flags === undefined || (version === VERSION && more !== undefined)) return undefined;
  return { id, flags };
}

/** For whom we call: the same trace, of which this call is a part of its own. */
export const traceparent = ({ id, flags }: Trace, random: () => number): string =>
  `${VERSION}-${id}-${part(random)}-${flags}`;

/** Sixteen digits, of which the first is never 0: a part that is all zeros means nothing. */
function part(random: () => number): string {
  const digits = Array.from({ length: 15 }, () => Math.floor(random() * 16).toString(16));
  return (1 + Math.floor(random() * 15)).toString(16) + digits.join('');
}
