/** Structured logs with secrets removed. */

import type { Clock } from '../ports.ts';

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
  /(?<=:\/\/)[^/\s:@"]+:[^/\s@"]+(?=@)/g, // credentials in a URL
];

const redact = (text: string): string => {
  // Truncated first, so that the patterns below run on a bounded text.
  const short = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}… (${text.length} characters)` : text;
  return SECRET_SHAPES.reduce((redacted, shape) => redacted.replace(shape, HIDDEN), short);
};

function toLoggable(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redact(value);
  if (typeof value === 'bigint' || typeof value === 'symbol') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '[deep]';
  if (value instanceof Error) return toLoggableError(value, depth);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => toLoggable(entry, depth - 1));
  return toLoggableFields(value, depth);
}

const toLoggableFields = (fields: object, depth: number): Fields =>
  Object.fromEntries(
    Object.entries(fields)
      .slice(0, MAX_ENTRIES)
      .map(([name, value]) => [name, SECRET_NAME.test(name) ? HIDDEN : toLoggable(value, depth - 1)]),
  );

const toLoggableError = (error: Error, depth: number): Fields => ({
  name: error.name,
  message: redact(error.message),
  stack: redact(error.stack ?? ''),
  ...toLoggableFields({ ...error }, depth),
  ...(error.cause === undefined ? {} : { cause: toLoggable(error.cause, depth - 1) }),
});

type Options = {
  clock: Clock;
  write: (line: string) => void;
  minLevel: LogLevel;
  /** Additional fields of a line, such as metrics. They contain no data of callers. */
  extraFields?: (line: { message: string; fields: Fields; at: number }) => Fields;
  /** The log's receiver records the times itself. */
  isStamped?: true;
};

/** One JSON object per line. Values whose name or shape looks like a secret are redacted. */
export function logger(o: Options): Log {
  const at =
    (level: LogLevel) =>
    (message: string, fields: Fields = {}): void => {
      if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(o.minLevel)) return;
      const now = o.clock.now();
      const entry = { ...(o.isStamped ? {} : { time: new Date(now).toISOString() }), level, message: redact(message) };
      const extra = o.extraFields?.({ message, fields, at: now });
      o.write(`${JSON.stringify({ ...entry, ...toLoggableFields(fields, MAX_DEPTH), ...extra })}\n`);
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A log with additional fields, for one of several components that share a log. */
export const logWith = (log: Log, extraFields: Fields): Log =>
  Object.fromEntries(
    LOG_LEVELS.map((level) => [
      level,
      (message: string, fields?: Fields) => log[level](message, { ...extraFields, ...fields }),
    ]),
  ) as Log;
