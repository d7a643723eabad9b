/**
 * What is measured, as part of the log line that tells of it: CloudWatch takes figures out of lines that say where they
 * stand (its embedded metric format), so measuring needs no client and no call.
 */
import { type EachLane, LANES } from '../lanes/lane.ts';
import type { Fields } from './log.ts';

type Unit = 'Count' | 'Milliseconds' | 'Seconds';
type Figures = Partial<Record<MetricName, number>>;

export const METRICS = {
  /** Answered with 4xx, and those of them that were over a limit or over capacity. */
  Refusals: 'Count',
  Limited: 'Count',
  /** Answered with 5xx: because there is no room, and for any other reason. */
  AtCapacity: 'Count',
  Faults: 'Count',
  Submits: 'Count',
  TasksEnded: 'Count',
  TasksFailed: 'Count',
  /** From submit to end, and of that the worker's. */
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
  /** How long the oldest task of each lane has waited. */
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

/** By the words of the line. */
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
  'a webhook was sent': ({ status, ms }) => ({
    Deliveries: 1,
    ...(isTaken(number(status)) ? {} : { DeliveriesFailed: 1 }),
    DeliveryMs: number(ms) ?? 0,
  }),
  'due rows were processed': ({ cared, lagMs, laneMs }) => ({
    DueCared: number(cared) ?? 0,
    DueLagSeconds: seconds(lagMs),
    ...Object.fromEntries(LANES.map((lane) => [LANE_FIGURES[lane], seconds((laneMs as Fields | undefined)?.[lane])])),
  }),
};

/** What a figure says in the line as well. */
const REPEATED: readonly string[] = ['taskMs', 'workMs', 'inputTokens', 'outputTokens'];

const isTaken = (status: number | undefined): boolean => status !== undefined && status >= 200 && status < 300;

/** A unit that is the default is left out, as each byte of a log line costs. */
const named = (name: MetricName) => (METRICS[name] === 'Count' ? { Name: name } : { Name: name, Unit: METRICS[name] });

/** Additional fields of a log line; undefined removes a repeated one. Returns nothing for a line without a metric. */
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
