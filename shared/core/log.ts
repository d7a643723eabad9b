/** Structured logs with secrets removed, the trace context of a request, and the metrics that CloudWatch takes out of log lines. */

import { type EachLane, LANES } from '../lanes/lane.ts';
import type { Clock } from '../ports.ts';
import { definedFields } from './optional-fields.ts';

/** One JSON object per line. Values whose name or shape looks like a secret are redacted. */
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

const clean = (text: string): string => {
  // Truncated first, so that the patterns below run on a bounded text.
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
  /** Additional fields of a line, such as metrics. They contain no data of callers. */
  extraFields?: (line: { message: string; fields: Fields; at: number }) => Fields;
  /** The log's receiver records the times itself. */
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

/** A log with additional fields, for one of several components that share a log. */
export const logWith = (log: Log, who: Fields): Log =>
  Object.fromEntries(
    LOG_LEVELS.map((level) => [
      level,
      (message: string, fields?: Fields) => log[level](message, { ...who, ...fields }),
    ]),
  ) as Log;

// The caller's W3C Trace Context, stored with the task and passed on.

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

/** The trace headers of an outgoing request. */
export const traceHeaders = (trace: Trace, random: () => number): Record<string, string> => ({
  traceparent: traceparent(trace, random),
  ...definedFields({ tracestate: trace.state }),
});

/** A `traceparent` with the same trace id and a new span id. */
const traceparent = ({ id, flags }: Trace, random: () => number): string => `${VERSION}-${id}-${part(random)}-${flags}`;

/** Sixteen hex digits, never starting with 0, because an all-zero span id is invalid. */
function part(random: () => number): string {
  const digits = Array.from({ length: 15 }, () => Math.floor(random() * 16).toString(16));
  return (1 + Math.floor(random() * 15)).toString(16) + digits.join('');
}

type Unit = 'Count' | 'Milliseconds' | 'Seconds';
type Figures = Partial<Record<MetricName, number>>;

export const METRICS = {
  /** Responses with 4xx, and those of them that exceeded a limit or the capacity. */
  Refusals: 'Count',
  Limited: 'Count',
  /** Responses with 5xx: at capacity, or for other reasons. */
  AtCapacity: 'Count',
  Faults: 'Count',
  Submits: 'Count',
  TasksEnded: 'Count',
  TasksFailed: 'Count',
  /** From submit to end, and the worker's part of that. */
  TaskMs: 'Milliseconds',
  WorkMs: 'Milliseconds',
  TokensIn: 'Count',
  TokensOut: 'Count',
  AttemptsFailed: 'Count',
  ModelErrors: 'Count',
  Deliveries: 'Count',
  DeliveriesFailed: 'Count',
  DeliveryMs: 'Milliseconds',
  DueCared: 'Count',
  DueLagSeconds: 'Seconds',
  /** How long the oldest task of each lane has been waiting. */
  HighLaneSeconds: 'Seconds',
  NormalLaneSeconds: 'Seconds',
  LowLaneSeconds: 'Seconds',
} as const satisfies Record<string, Unit>;

export type MetricName = keyof typeof METRICS;

export const LANE_FIGURES = {
  high: 'HighLaneSeconds',
  normal: 'NormalLaneSeconds',
  low: 'LowLaneSeconds',
} as const satisfies EachLane<MetricName>;

const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const seconds = (ms: unknown): number => (number(ms) ?? 0) / 1_000;
const isSubmit = ({ method, route }: Fields): boolean => method === 'POST' && route === '/api/v1/tasks';

/** By the message of the line. */
const MEASURED: Record<string, (fields: Fields) => Figures> = {
  request: (fields) => {
    const status = number(fields.status) ?? 0;
    const isFull = status >= 500 && fields.problem === 'atCapacity';
    return {
      ...(status >= 400 && status < 500 ? { Refusals: 1 } : {}),
      ...(status === 429 || isFull ? { Limited: 1 } : {}),
      ...(isFull ? { AtCapacity: 1 } : {}),
      ...(status >= 500 && !isFull ? { Faults: 1 } : {}),
      ...(isSubmit(fields) && status < 300 ? { Submits: 1 } : {}),
    };
  },
  'a task ended': ({ state, taskMs, workMs, inputTokens, outputTokens }) => ({
    TasksEnded: 1,
    ...(state === 'failed' ? { TasksFailed: 1 } : {}),
    TaskMs: number(taskMs) ?? 0,
    WorkMs: number(workMs) ?? 0,
    ...(number(inputTokens) ? { TokensIn: Number(inputTokens) } : {}),
    ...(number(outputTokens) ? { TokensOut: Number(outputTokens) } : {}),
  }),
  'an attempt failed': ({ code }) => ({
    AttemptsFailed: 1,
    ...(code === 'MODEL_UNAVAILABLE' ? { ModelErrors: 1 } : {}),
  }),
  'an attempt waits': () => ({ ModelErrors: 1 }),
  'a webhook was sent': ({ status, ms }) => ({
    Deliveries: 1,
    ...(isTaken(number(status)) ? {} : { DeliveriesFailed: 1 }),
    DeliveryMs: number(ms) ?? 0,
  }),
  // Written once a minute: zeros are left out, because a metric is billed for each hour in which it is written.
  'due rows were processed': ({ cared, lagMs, laneMs }) =>
    withoutZeros({
      DueCared: number(cared) ?? 0,
      DueLagSeconds: seconds(lagMs),
      ...Object.fromEntries(LANES.map((lane) => [LANE_FIGURES[lane], seconds((laneMs as Fields | undefined)?.[lane])])),
    }),
};

const withoutZeros = (figures: Figures): Figures =>
  Object.fromEntries(Object.entries(figures).filter(([, figure]) => figure !== 0));

/** Metrics that are in the line's own fields as well. */
const REPEATED: readonly string[] = ['taskMs', 'workMs', 'inputTokens', 'outputTokens'];

const isTaken = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

/** The default unit is omitted, because each byte of a log line costs money. */
const named = (name: MetricName) => (METRICS[name] === 'Count' ? { Name: name } : { Name: name, Unit: METRICS[name] });

/** Returns metric fields for a log line, or nothing if the line has no metric; `undefined` removes a repeated field. */
export function measured(namespace: string, line: { message: string; fields: Fields; at: number }): Fields {
  const measure = Object.hasOwn(MEASURED, line.message) ? MEASURED[line.message] : undefined;
  if (!measure) return {};
  const figures = measure(line.fields);
  if (Object.keys(figures).length === 0) return {};
  const Metrics = Object.keys(figures).map((name) => named(name as MetricName));
  const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [[]], Metrics }];
  const repeated = Object.fromEntries(REPEATED.map((name) => [name, undefined]));
  return { ...repeated, _aws: { Timestamp: line.at, CloudWatchMetrics }, ...figures };
}
