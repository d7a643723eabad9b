/** The caller's W3C Trace Context, stored with the task and passed on. */

import { definedFields } from './optional-fields.ts';

/** Version 00, and the part of later versions that stays compatible. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const VERSION = '00';
const MAX_TRACE_CHARACTERS = 128;

/** The trace id, flags and vendor state. A malformed header counts as no trace. */
export type Trace = { id: string; flags: string; state?: string };

export function parseTrace(header: string | undefined, state?: string): Trace | undefined {
  if (header === undefined || header.length > MAX_TRACE_CHARACTERS) return undefined;
  const [, version, id, flags, more] = TRACEPARENT.exec(header) ?? [];
  if (id === undefined || flags === undefined || (version === VERSION && more !== undefined)) return undefined;
  return { id, flags, ...parseTraceState(state) };
}

/** The trace headers of an outgoing request. */
export const traceHeaders = (trace: Trace, random: () => number): Record<string, string> => ({
  traceparent: traceparent(trace, random),
  ...definedFields({ tracestate: trace.state }),
});

const MAX_STATE_CHARACTERS = 512;
const MAX_MEMBERS = 32;
const MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** `tracestate`, complete or not at all: a part of it may mean something else. */
function parseTraceState(header = ''): { state?: string } {
  if (header.length > MAX_STATE_CHARACTERS) return {};
  const members = header.split(',').map((member) => member.trim());
  const names = members.filter((member) => member !== '');
  if (names.length === 0 || members.length > MAX_MEMBERS) return {};
  return names.every((member) => MEMBER.test(member)) ? { state: names.join(',') } : {};
}

/** A `traceparent` with the same trace id and a new span id. */
const traceparent = ({ id, flags }: Trace, random: () => number): string => `${VERSION}-${id}-${part(random)}-${flags}`;

/** Sixteen hex digits, never starting with 0, because an all-zero span id is invalid. */
function part(random: () => number): string {
  const digits = Array.from({ length: 15 }, () => Math.floor(random() * 16).toString(16));
  return (1 + Math.floor(random() * 15)).toString(16) + digits.join('');
}
