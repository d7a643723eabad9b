/** Structured logs with secrets removed, and the trace context of a request. */

import type { Clock } from '../ports.ts';
import { definedFields } from './optional-fields.ts';

/** One JSON object a line. What looks like a secret, by its name or its shape, never gets out. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];
export type Fields = Record<string, unknown>;
export type Log = Record<LogLevel, (message: string, fields?: Fields) => void>;

const MAX_CHARACTERS = 2_000;
const MAX_ENTRIES = 50;
const MAX_DEPTH = 5;
const HIDDEN = '[hidden]';

const SECRET_NAME = /secret|passw|token(?!s)|authori[sz]ation|api-?_?key|cookie|signature|credential|private/i;

const SECRET_SHAPES = [
  /\berrand_\w+/g, // our API keys
  /\bwhsec_[\w+/=-]+/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, // JWT
  /\b(?:Bearer|Basic)\s+[\w.~+/=-]+/gi,
  /(?<=[?&](?:X-Amz-Signature|X-Amz-Credential|X-Amz-Security-Token|signature|token)=)[^&\s"]+/gi,
  /(?<=:\/\/)[^/\s:@"]+:[^/\s@"]+(?=@)/g, // credentials in an address
];

const clean = (text: string): string => {
  // Cut first: the shapes below then run over a bounded text.
  const short = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)` : text;
  return SECRET_SHAPES.reduce((kept, shape) => kept.replace(shape, HIDDEN), short);
};

function shown(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return clean(value);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[deep]';
  if (value instanceof Error) return shownError(value, depth);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => shown(entry, depth - 1));
  return shownFields(value, depth);
}

const shownFields = (fields: object, depth: number): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, MAX_ENTRIES)
      .map(([name, value]) => [name, SECRET_NAME.test(name) ? HIDDEN : shown(value, depth - 1)]),
  );

const shownError = (error: Error, depth: number): Fields => ({
  name: error.name,
  message: clean(error.message),
  stack: clean(error.stack ?? ''),
  ...shownFields({ ...error }, depth),
  ...(error.cause === undefined ? {} : { cause: shown(error.cause, depth - 1) }),
});

type Options = {
  clock: Clock;
  write: (line: string) => void;
  minLevel: LogLevel;
  /** What else a line holds, such as figures that are measured by it. Nothing of a caller's is in there. */
  extraFields?: (line: { message: string; fields: Fields; at: number }) => Fields;
  /** The receiver of the lines records their times. */
  isStamped?: true;
};

export function logger(o: Options): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Fields = {}): void => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(o.minLevel)) return;
      const now = o.clock.now();
      const entry = { ...(o.isStamped ? {} : { time: new Date(now).toISOString() }), level, message: clean(message) };
      const extra = o.extraFields?.({ message, fields, at: now });
      o.write(`${JSON.stringify({ ...entry, ...shownFields(fields, MAX_DEPTH), ...extra })}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** For one of several that share a log. */
export const logWith = (log: Log, who: Fields): Log =>
  Object.fromEntries(
    LOG_LEVELS.map((level) => [
      level,
      (message: string, fields?: Fields) => log[level](message, { ...who, ...fields }),
    ]),
  ) as Log;

// W3C Trace Context of the caller, stored with the task and passed on.

/** Version 00, and of later versions the part that stays the same. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(-.*)?$/;
const VERSION = '00';
const MAX_TRACE_CHARACTERS = 128;

/** The trace id, its flags and the state of other systems; anything malformed counts as no trace. */
export type Trace = { id: string; flags: string; state?: string };

export function parseTrace(header: string | undefined, state?: string): Trace | undefined {
  if (header === undefined || header.length > MAX_TRACE_CHARACTERS) return undefined;
  const [, version, id, flags, more] = TRACEPARENT.exec(header) ?? [];
  if (id === undefined || flags === undefined || (version === VERSION && more !== undefined)) return undefined;
  return { id, flags, ...parseTraceState(state) };
}

const MAX_STATE_CHARACTERS = 512;
const MAX_MEMBERS = 32;
const MEMBER = /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** `tracestate`, whole or not at all: a part of it may mean something else. */
function parseTraceState(header = ''): { state?: string } {
  if (header.length > MAX_STATE_CHARACTERS) return {};
  const members = header.split(',').map((member) => member.trim());
  const names = members.filter((member) => member !== '');
  if (names.length === 0 || members.length > MAX_MEMBERS) return {};
  return names.every((member) => MEMBER.test(member)) ? { state: names.join(',') } : {};
}

/** What our own call says of the trace it is in. */
export const traceHeaders = (trace: Trace, random: () => number): Record<string, string> => ({
  traceparent: traceparent(trace, random),
  ...definedFields({ tracestate: trace.state }),
});

/** For whom we call: the same trace, of which this call is a part of its own. */
export const traceparent = ({ id, flags }: Trace, random: () => number): string =>
  `${VERSION}-${id}-${part(random)}-${flags}`;

/** Sixteen digits, of which the first is never 0: a part that is all zeros means nothing. */
function part(random: () => number): string {
  const digits = Array.from({ length: 15 }, () => Math.floor(random() * 16).toString(16));
  return (1 + Math.floor(random() * 15)).toString(16) + digits.join('');
}
