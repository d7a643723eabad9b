/** The metrics that CloudWatch takes out of log lines. */

import { type EachLane, LANES } from './lane.ts';
import type { Fields } from './log.ts';

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
const METRICS_BY_MESSAGE: Record<string, (fields: Fields) => Figures> = {
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
    ...(isAccepted(number(status)) ? {} : { DeliveriesFailed: 1 }),
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

const isAccepted = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

/** The default unit is omitted, because each byte of a log line costs money. */
const metricDefinition = (name: MetricName) =>
  METRICS[name] === 'Count' ? { Name: name } : { Name: name, Unit: METRICS[name] };

/** Returns metric fields for a log line, or nothing if the line has no metric; `undefined` removes a repeated field. */
export function metricFields(namespace: string, line: { message: string; fields: Fields; at: number }): Fields {
  const measure = Object.hasOwn(METRICS_BY_MESSAGE, line.message) ? METRICS_BY_MESSAGE[line.message] : undefined;
  if (!measure) return {};
  const figures = measure(line.fields);
  if (Object.keys(figures).length === 0) return {};
  const Metrics = Object.keys(figures).map((name) => metricDefinition(name as MetricName));
  const CloudWatchMetrics = [{ Namespace: namespace, Dimensions: [[]], Metrics }];
  const repeated = Object.fromEntries(REPEATED.map((name) => [name, undefined]));
  return { ...repeated, _aws: { Timestamp: line.at, CloudWatchMetrics }, ...figures };
}
