/** What a caller's own tracing calls a request (W3C Trace Context): kept with what the request made, and passed on. */

/** Version 00, and of later versions the part that stays the same. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const VERSION = '00';
const MAX_TRACE_CHARACTERS = 128;

/** The trace and its flags, and what other systems wish to find again; whatever is no trace counts as none. */
export type Trace = { id: string; flags: string; state?: string };

export function parseTrace(header: string | undefined, state?: string): Trace | undefined {
  if (header === undefined || header.length > MAX_TRACE_CHARACTERS) return undefined;
  const [, version, id, flags, more] = TRACEPARENT.exec(header) ?? [];
  if (id === undefined || flags === undefined || (version === VERSION && more !== undefined)) return undefined;
  return { id, flags, ...parseTraceState(state) };
}

const MOST_STATE_CHARACTERS = 512;
const MOST_MEMBERS = 32;
const MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** `tracestate`, whole or not at all: a part of it may mean something else. */
function parseTraceState(header = ''): { state?: string } {
  if (header.length > MOST_STATE_CHARACTERS) return {};
  const members = header.split(',').map((member) => member.trim());
  const given = members.filter((member) => member !== '');
  if (given.length === 0 || members.length > MOST_MEMBERS) return {};
  return given.every((member) => MEMBER.test(member)) ? { state: given.join(',') } : {};
}

/** What our own call says of the trace it is in. */
export const traceHeaders = (trace: Trace, random: () => number): Record<string, string> => ({
  traceparent: traceparent(trace, random),
  ...(trace.state === undefined ? {} : { tracestate: trace.state }),
});

/** For whom we call: the same trace, of which this call is a part of its own. */
export const traceparent = ({ id, flags }: Trace, random: () => number): string =>
  `${VERSION}-${id}-${part(random)}-${flags}`;

/** Sixteen digits, of which the first is never 0: a part that is all zeros means nothing. */
function part(random: () => number): string {
  const digits = Array.from({ length: 15 }, () => Math.floor(random() * 16).toString(16));
  return (1 + Math.floor(random() * 15)).toString(16) + digits.join('');
}
