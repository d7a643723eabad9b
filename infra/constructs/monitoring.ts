/** The alarms, each with its severity and its heading in docs/operations/runbook.md, and the dashboard. */
import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { INDEXES } from '../../adapters/aws/dynamo-items.ts';
import { LANES, type Lane } from '../../shared/core/lane.ts';
import { LANE_FIGURES, type MetricName } from '../../shared/core/metrics.ts';
import type { CustomerKey } from './customer-key.ts';
import type { BundledFunction } from './function.ts';
import type { UndeliveredEvents, WatchedQueue } from './queues.ts';

/** `critical`: callers notice, or work is undelivered. `warning`: this may happen soon. */
type Severity = 'critical' | 'warning';

type LambdaFigure =
  | 'Errors'
  | 'Throttles'
  | 'Invocations'
  | 'Duration'
  | 'AsyncEventsDropped'
  | 'RecursiveInvocationsDropped';

type AlarmFigures = {
  errand(name: MetricName, statistic: 'Sum' | 'Maximum' | 'p95', minutes?: number): Metric;
  /** A metric of the function with this name. */
  lambda(name: string, figure: LambdaFigure, minutes?: number): Metric;
  functions: readonly string[];
  api(name: string, figure: '5xx' | '4xx' | 'Count' | 'Latency', minutes?: number): Metric;
  apis: readonly string[];
  /** Errors of the WebSocket API: of its function, and its own. */
  socket(figure: 'IntegrationError' | 'ExecutionError'): Metric;
  /** The account's shares of mails that bounced or were complained about, which SES publishes once mails are sent. */
  mail(figure: 'BounceRate' | 'ComplaintRate'): Metric;
  sendsMail: boolean;
  /** Throttling of an index is not included in the metrics of the table. */
  table(figure: 'ReadThrottleEvents' | 'WriteThrottleEvents', index?: string): Metric;
  indexes: readonly string[];
  deadLetters(queue: string): Metric;
  oldest(queue: string): Metric;
  queues: readonly string[];
};

type AlarmKind = {
  /** The heading in the runbook; with `each` the alarm's name also contains what it watches. */
  name: string;
  severity: Severity;
  why: string;
  perResource?: (figures: AlarmFigures) => readonly string[];
  figure: (figures: AlarmFigures, of: string) => IMetric;
  /** The threshold: the alarm is raised at or above it, or with `below` under it. */
  from: number;
  /** The alarm is raised if `bad` of `of` periods violate the threshold. */
  periods: [bad: number, of: number];
  /** Missing data raises the alarm. */
  silence?: true;
  below?: true;
};

/** SES reviews an account from 5 % of bounces or 0.1 % of complaints. */
const REVIEWED_FROM = { BounceRate: 0.05, ComplaintRate: 0.001 } as const;
const MIN_DELIVERIES = 20;
/** Twice the longest delay of a hint, because a message's age may include its delay. */
const OLDEST_WEBHOOK_SECONDS = 1_800;

/** A metric summed over all functions. */
const ofAllFunctions = ({ functions, lambda }: AlarmFigures, figure: 'Errors' | 'Throttles'): MathExpression =>
  sumOf(
    functions.map((name) => lambda(name, figure)),
    `${figure} of functions`,
  );

/** Missing data of one metric counts as zero: without `FILL` the whole sum would have no data. */
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
    perResource: ({ queues }) => queues,
    figure: (figures, queue) => figures.deadLetters(queue),
    from: 1,
    periods: [1, 1],
  },
  {
    name: 'due-lag',
    severity: 'critical',
    why: 'Due work has waited for more than three minutes: retries, timeouts and recovery stand still.',
    figure: ({ errand: own }) => own('DueLagSeconds', 'Maximum', 1),
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
    figure: ({ api, apis, errand: own }) => {
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
    name: 'socket-errors',
    severity: 'warning',
    why: 'The WebSocket API or its function fails: clients reconnect, and poll meanwhile.',
    figure: ({ socket }) =>
      sumOf([socket('IntegrationError'), socket('ExecutionError')], 'Errors of the WebSocket API'),
    from: 5,
    periods: [2, 3],
  },
  {
    name: 'dropped-calls',
    severity: 'critical',
    why: 'Lambda dropped a call: a chain of messages was taken for an endless loop, or an event was never handled.',
    figure: ({ functions, lambda }) =>
      sumOf(
        [
          ...functions.map((name) => lambda(name, 'RecursiveInvocationsDropped')),
          lambda('reconcile', 'AsyncEventsDropped'),
        ],
        'Dropped calls',
      ),
    from: 1,
    periods: [1, 1],
  },
  {
    name: 'mail-reputation',
    severity: 'warning',
    why: 'Bounces or complaints reach the level at which SES puts an account under review.',
    perResource: ({ sendsMail }) => (sendsMail ? Object.keys(REVIEWED_FROM) : []),
    figure: ({ mail }, rate) =>
      new MathExpression({
        // Not called `rate`, which is the name of a function in expressions.
        expression: `m0 / ${REVIEWED_FROM[rate as keyof typeof REVIEWED_FROM]}`,
        usingMetrics: { m0: mail(rate as keyof typeof REVIEWED_FROM) },
        label: `${rate}, of the level of a review`,
        period: Duration.hours(1),
      }),
    from: 1,
    periods: [1, 1],
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
    perResource: () => LANES,
    // From our own metric: the queue also counts hints of running tasks, which may take 15 minutes.
    figure: ({ errand: own }, lane) => own(LANE_FIGURES[lane as Lane], 'Maximum', 1),
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
    figure: ({ errand: own }) =>
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
    why: 'A model does not respond: tasks wait for it until their timeout, or fail with MODEL_UNAVAILABLE.',
    figure: ({ errand: own }) => own('ModelErrors', 'Sum'),
    from: 5,
    periods: [2, 3],
  },
];

type Options = {
  namespace: string;
  /** The address that receives alarms; without it they are only shown. */
  email: string | undefined;
  customerKey: CustomerKey | undefined;
  /** The dead-letter queue of alarm mails that could not be delivered. */
  undelivered: UndeliveredEvents;
  functions: ReadonlyMap<string, BundledFunction>;
  queues: WatchedQueue[];
  /** The ids of the HTTP APIs, by name. */
  apis: ReadonlyMap<string, string>;
  socketApiId: string;
  sendsMail: boolean;
  tableName: string;
};

const { GREATER_THAN_OR_EQUAL_TO_THRESHOLD, LESS_THAN_THRESHOLD } = ComparisonOperator;
const RUNBOOK = 'docs/operations/runbook.md';
const WIDE = 12;

export class Monitoring extends Construct {
  constructor(scope: Construct, id: string, options: Options) {
    super(scope, id);
    const figures = metricsOf(options);
    const alarmAction = this.topic(options);
    for (const kind of ALARMS) {
      const resources = kind.perResource?.(figures);
      if (!resources) this.alarm(kind, kind.name, { metric: kind.figure(figures, ''), alarmAction });
      for (const of of resources ?? []) {
        this.alarm(kind, `${kind.name}-${of}`, { metric: kind.figure(figures, of), alarmAction });
      }
    }
    new Dashboard(this, 'Dashboard', {
      dashboardName: Stack.of(this).stackName,
      defaultInterval: Duration.hours(12),
      widgets: widgetsOf(figures).map((row) =>
        row.map(({ title, metrics }) => new GraphWidget({ title, left: metrics, width: WIDE })),
      ),
    });
  }

  private topic({ email, customerKey, undelivered: { deadLetters } }: Options): SnsAction | undefined {
    if (email === undefined) return undefined;
    // Never encrypted with AWS's managed key, which alarms may not use; alarms contain no data of callers.
    const topic = new Topic(this, 'Topic', {
      enforceSSL: true,
      ...(customerKey ? { masterKey: customerKey.key } : {}),
    });
    // `enforceSSL` gives the topic a policy, which replaces SNS's default one: without this, alarms may not publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    topic.addSubscription(new EmailSubscription(email, { deadLetterQueue: deadLetters }));
    return new SnsAction(topic);
  }

  private alarm(kind: AlarmKind, name: string, o: { metric: IMetric; alarmAction: SnsAction | undefined }): void {
    const [datapointsToAlarm, evaluationPeriods] = kind.periods;
    const alarm = new Alarm(this, name, {
      alarmName: `${Stack.of(this).stackName}-${name}`,
      alarmDescription: `[${kind.severity}] ${kind.why} ${RUNBOOK}#${kind.name}`,
      metric: o.metric,
      threshold: kind.from,
      comparisonOperator: kind.below ? LESS_THAN_THRESHOLD : GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      datapointsToAlarm,
      evaluationPeriods,
      treatMissingData: kind.silence ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    if (!o.alarmAction) return;
    alarm.addAlarmAction(o.alarmAction);
    alarm.addOkAction(o.alarmAction);
  }
}

function metricsOf({ namespace, functions, queues, apis, socketApiId, sendsMail, tableName }: Options): AlarmFigures {
  const namedValue = <T>(values: ReadonlyMap<string, T>, name: string): T => {
    const value = values.get(name);
    if (value === undefined) throw new Error(`Nothing of the stack is called ${name}.`);
    return value;
  };
  const byName = new Map(queues.map((watched) => [watched.name, watched]));
  const consumed = new Map(queues.flatMap(({ name, queue }) => (queue ? [[name, queue] as const] : [])));
  return {
    errand: (metricName, statistic, minutes = 5) =>
      new Metric({ namespace, metricName, statistic, period: Duration.minutes(minutes), label: metricName }),
    lambda: (name, figure, minutes = 5) =>
      namedValue(functions, name).lambda.metric(figure, {
        statistic: figure === 'Duration' ? 'p95' : 'Sum',
        period: Duration.minutes(minutes),
        label: `${name} ${figure}`,
      }),
    functions: [...functions.keys()],
    api: (name, metricName, minutes = 5) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiId: namedValue(apis, name) },
        statistic: metricName === 'Latency' ? 'p95' : 'Sum',
        period: Duration.minutes(minutes),
        label: `${name} ${metricName}`,
      }),
    apis: [...apis.keys()],
    socket: (metricName) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiId: socketApiId },
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
    mail: (rate) =>
      new Metric({
        namespace: 'AWS/SES',
        metricName: `Reputation.${rate}`,
        statistic: 'Maximum',
        period: Duration.hours(1),
      }),
    sendsMail,
    table: (metricName, index) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        dimensionsMap: { TableName: tableName, ...(index === undefined ? {} : { GlobalSecondaryIndexName: index }) },
        statistic: 'Sum',
        period: Duration.minutes(5),
      }),
    indexes: Object.values(INDEXES).map(({ name }) => name),
    deadLetters: (name) =>
      namedValue(byName, name).deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        label: name,
      }),
    oldest: (name) =>
      namedValue(consumed, name).metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), label: name }),
    queues: [...byName.keys()],
  };
}

type Graph = { title: string; metrics: IMetric[] };

const widgetsOf = (f: AlarmFigures): Graph[][] => [
  [
    {
      title: 'Requests and rejections',
      metrics: [
        ...f.apis.map((name) => f.api(name, 'Count')),
        ...(['Refusals', 'Limited', 'AtCapacity', 'Faults'] as const).map((name) => f.errand(name, 'Sum')),
      ],
    },
    { title: 'How long requests take (p95)', metrics: f.apis.map((name) => f.api(name, 'Latency')) },
  ],
  [
    {
      title: 'Tasks',
      metrics: (['Submits', 'TasksEnded', 'TasksFailed', 'AttemptsFailed'] as const).map((name) =>
        f.errand(name, 'Sum'),
      ),
    },
    {
      title: 'From submit to end, and run time (p95)',
      metrics: [f.errand('TaskMs', 'p95'), f.errand('WorkMs', 'p95')],
    },
  ],
  [
    {
      title: 'Waiting: the oldest task of each lane, the oldest webhook',
      metrics: [...LANES.map((lane) => f.errand(LANE_FIGURES[lane], 'Maximum', 1)), f.oldest('webhooks')],
    },
    { title: 'How late the reconciler is', metrics: [f.errand('DueLagSeconds', 'Maximum', 1)] },
  ],
  [
    { title: 'Webhooks', metrics: [f.errand('Deliveries', 'Sum'), f.errand('DeliveriesFailed', 'Sum')] },
    {
      title: 'Tokens of models',
      metrics: [f.errand('TokensIn', 'Sum'), f.errand('TokensOut', 'Sum'), f.errand('ModelErrors', 'Sum')],
    },
  ],
  [
    { title: 'Dead letters', metrics: f.queues.map((queue) => f.deadLetters(queue)) },
    {
      title: 'Errors and throttles of functions',
      metrics: f.functions.flatMap((name) => [f.lambda(name, 'Errors'), f.lambda(name, 'Throttles')]),
    },
  ],
];
