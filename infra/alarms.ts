/** The alarms: severity, and the heading in docs/operations/runbook.md. */
import { Duration } from 'aws-cdk-lib';
import { type IMetric, MathExpression, type Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { LANE_FIGURES, type MetricName } from '../shared/core/metrics.ts';
import { LANES, type Lane } from '../shared/lanes/lane.ts';

/** `critical`: callers notice, or work is lost. `warning`: they may soon. */
type Severity = 'critical' | 'warning';

export type AlarmFigures = {
  own(name: MetricName, statistic: 'Sum' | 'Maximum' | 'p95', minutes?: number): Metric;
  /** Of a function, by its name. */
  lambda(name: string, figure: 'Errors' | 'Throttles' | 'Invocations' | 'Duration', minutes?: number): Metric;
  functions: readonly string[];
  api(name: string, figure: '5xx' | '4xx' | 'Count' | 'Latency', minutes?: number): Metric;
  apis: readonly string[];
  /** What an index puts off is not among the figures of the table itself. */
  table(figure: 'ReadThrottleEvents' | 'WriteThrottleEvents', index?: string): Metric;
  indexes: readonly string[];
  deadLetters(queue: string): Metric;
  oldest(queue: string): Metric;
  queues: readonly string[];
};

export type AlarmKind = {
  /** The heading; with `each` the alarm's name goes on with what it is of. */
  name: string;
  severity: Severity;
  why: string;
  each?: (figures: AlarmFigures) => readonly string[];
  figure: (figures: AlarmFigures, of: string) => IMetric;
  /** At or above. */
  from: number;
  /** Of so many periods, so many must be so. */
  periods: [bad: number, of: number];
  /** Silence is what is wrong. */
  silence?: true;
  below?: true;
};

const MIN_DELIVERIES = 20;
/** Twice the longest delay of a hint: its age may count from when it was sent. */
const OLDEST_WEBHOOK_SECONDS = 1_800;

/** One figure over all functions. */
const ofAllFunctions = ({ functions, lambda }: AlarmFigures, figure: 'Errors' | 'Throttles'): MathExpression =>
  sumOf(
    functions.map((name) => lambda(name, figure)),
    `${figure} of functions`,
  );

/** A figure that is silent counts for nothing: without `FILL` it would silence the whole sum. */
const sumOf = (metrics: Metric[], label: string): MathExpression =>
  new MathExpression({
    expression: metrics.map((_, at) => `FILL(m${at}, 0)`).join('+'),
    usingMetrics: Object.fromEntries(metrics.map((metric, at) => [`m${at}`, metric])),
    label,
    period: Duration.minutes(5),
  });

export const ALARMS: AlarmKind[] = [
  {
    name: 'dead-letters',
    severity: 'critical',
    why: 'A message was received five times and never deleted: our code fails on it.',
    each: ({ queues }) => queues,
    figure: (figures, queue) => figures.deadLetters(queue),
    from: 1,
    periods: [1, 1],
  },
  {
    name: 'due-lag',
    severity: 'critical',
    why: 'Due work has waited for more than three minutes: retries, timeouts and recovery stand still.',
    figure: ({ own }) => own('DueLagSeconds', 'Maximum', 1),
    from: 180,
    periods: [3, 5],
  },
  {
    name: 'reconciler-silent',
    severity: 'critical',
    why: 'The reconciler has not run for five minutes.',
    figure: ({ lambda }) => lambda('reconcile', 'Invocations'),
    from: 1,
    below: true,
    periods: [1, 1],
    silence: true,
  },
  {
    name: 'server-errors',
    severity: 'critical',
    why: 'The APIs return 5xx, other than 503 with Retry-After at capacity.',
    figure: ({ api, apis, own }) => {
      const answered = apis.map((name, at) => [`m${at}`, api(name, '5xx')] as const);
      return new MathExpression({
        expression: `${answered.map(([id]) => `FILL(${id}, 0)`).join('+')}-FILL(full, 0)`,
        usingMetrics: { ...Object.fromEntries(answered), full: own('AtCapacity', 'Sum') },
        label: 'Server errors',
        period: Duration.minutes(5),
      });
    },
    from: 5,
    periods: [2, 3],
  },
  {
    name: 'function-errors',
    severity: 'critical',
    why: 'Functions throw or time out, which callers and tasks cannot cause.',
    figure: (figures) => ofAllFunctions(figures, 'Errors'),
    from: 3,
    periods: [2, 3],
  },
  {
    name: 'throttles',
    severity: 'warning',
    why: "The account's concurrency is used up, or a limit of AWS is too low.",
    figure: (figures) => ofAllFunctions(figures, 'Throttles'),
    from: 10,
    periods: [2, 3],
  },
  {
    name: 'table-throttles',
    severity: 'warning',
    why: 'DynamoDB throttles reads or writes of the table or an index.',
    figure: ({ table, indexes }) =>
      sumOf(
        [undefined, ...indexes].flatMap((index) => [
          table('ReadThrottleEvents', index),
          table('WriteThrottleEvents', index),
        ]),
        'Throttles of the table',
      ),
    from: 10,
    periods: [2, 3],
  },
  {
    name: 'waiting-work',
    severity: 'warning',
    why: 'A task has waited in a lane for ten minutes; submits to that lane are rejected.',
    each: () => LANES,
    // By the table: the queue counts hints of tasks under way among its own, and those may run for 15 minutes.
    figure: ({ own }, lane) => own(LANE_FIGURES[lane as Lane], 'Maximum', 1),
    from: 600,
    periods: [3, 5],
  },
  {
    name: 'waiting-webhooks',
    severity: 'warning',
    why: 'Webhooks have waited for a sender for half an hour.',
    figure: ({ oldest }) => oldest('webhooks'),
    from: OLDEST_WEBHOOK_SECONDS,
    periods: [3, 5],
  },
  {
    name: 'webhook-failures',
    severity: 'warning',
    why: `More than half of at least ${MIN_DELIVERIES} delivery attempts failed: our network, or a large receiver.`,
    figure: ({ own }) =>
      new MathExpression({
        expression: `IF(FILL(sent, 0) >= ${MIN_DELIVERIES}, 100 * FILL(failed, 0) / sent, 0)`,
        usingMetrics: { sent: own('Deliveries', 'Sum', 15), failed: own('DeliveriesFailed', 'Sum', 15) },
        label: 'Failed deliveries, percent',
        period: Duration.minutes(15),
      }),
    from: 50,
    periods: [2, 2],
  },
  {
    name: 'model-errors',
    severity: 'warning',
    why: 'A model does not respond: tasks retry and then fail with MODEL_UNAVAILABLE.',
    figure: ({ own }) => own('ModelErrors', 'Sum'),
    from: 5,
    periods: [2, 3],
  },
];
