/** Alarms, their recipients, and the dashboard. */

import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  Dashboard,
  GraphWidget,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { INDEXES } from '../../adapters/aws/dynamo-items.ts';
import { LANE_FIGURES } from '../../shared/core/metrics.ts';
import { LANES } from '../../shared/lanes/lane.ts';
import { ALARMS, type AlarmFigures, type AlarmKind } from '../alarms.ts';
import type { BundledFunction } from './function.ts';
import type { Undelivered, WatchedQueue } from './queues.ts';

type Options = {
  namespace: string;
  /** Who hears of alarms; without one they are only shown. */
  email: string | undefined;
  /** Where their letters go that no mailbox took. */
  lost: Undelivered;
  functions: ReadonlyMap<string, BundledFunction>;
  queues: WatchedQueue[];
  /** The ids of the APIs, by name. */
  apis: ReadonlyMap<string, string>;
  tableName: string;
};

const { GREATER_THAN_OR_EQUAL_TO_THRESHOLD, LESS_THAN_THRESHOLD } = ComparisonOperator;
const RUNBOOK = 'docs/operations/runbook.md';
const WIDE = 12;

export class Watch extends Construct {
  constructor(scope: Construct, id: string, options: Options) {
    super(scope, id);
    const figures = figuresOf(options);
    const hear = this.topic(options);
    for (const kind of ALARMS) {
      const named = kind.each?.(figures);
      if (!named) this.alarm(kind, kind.name, { metric: kind.figure(figures, ''), hear });
      for (const of of named ?? []) {
        this.alarm(kind, `${kind.name}-${of}`, { metric: kind.figure(figures, of), hear });
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

  private topic({ email, lost: { deadLetters } }: Options): SnsAction | undefined {
    if (email === undefined) return undefined;
    // Not encrypted by a key of ours: alarms may not use AWS's own key, and say nothing of any caller.
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(email, { deadLetterQueue: deadLetters }));
    return new SnsAction(topic);
  }

  private alarm(kind: AlarmKind, name: string, o: { metric: IMetric; hear: SnsAction | undefined }): void {
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
    if (!o.hear) return;
    alarm.addAlarmAction(o.hear);
    alarm.addOkAction(o.hear);
  }
}

function figuresOf({ namespace, functions, queues, apis, tableName }: Options): AlarmFigures {
  const found = <T>(all: ReadonlyMap<string, T>, name: string): T => {
    const one = all.get(name);
    if (one === undefined) throw new Error(`Nothing of the stack is called ${name}.`);
    return one;
  };
  const byName = new Map(queues.map((each) => [each.name, each]));
  const fed = new Map(queues.flatMap(({ name, queue }) => (queue ? [[name, queue] as const] : [])));
  return {
    own: (metricName, statistic, minutes = 5) =>
      new Metric({ namespace, metricName, statistic, period: Duration.minutes(minutes), label: metricName }),
    lambda: (name, figure, minutes = 5) =>
      found(functions, name).lambda.metric(figure, {
        statistic: figure === 'Duration' ? 'p95' : 'Sum',
        period: Duration.minutes(minutes),
        label: `${name} ${figure}`,
      }),
    functions: [...functions.keys()],
    api: (name, metricName, minutes = 5) =>
      new Metric({
        namespace: 'AWS/ApiGateway',
        metricName,
        dimensionsMap: { ApiId: found(apis, name) },
        statistic: metricName === 'Latency' ? 'p95' : 'Sum',
        period: Duration.minutes(minutes),
        label: `${name} ${metricName}`,
      }),
    apis: [...apis.keys()],
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
      found(byName, name).deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        label: name,
      }),
    oldest: (name) =>
      found(fed, name).metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), label: name }),
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
        ...(['Refusals', 'Limited', 'AtCapacity', 'Faults'] as const).map((name) => f.own(name, 'Sum')),
      ],
    },
    { title: 'How long requests take (p95)', metrics: f.apis.map((name) => f.api(name, 'Latency')) },
  ],
  [
    {
      title: 'Tasks',
      metrics: (['Submits', 'TasksEnded', 'TasksFailed', 'AttemptsFailed'] as const).map((name) => f.own(name, 'Sum')),
    },
    {
      title: 'From submit to end, and run time (p95)',
      metrics: [f.own('TaskMs', 'p95'), f.own('WorkMs', 'p95')],
    },
  ],
  [
    {
      title: 'Waiting: the oldest task of each lane, the oldest webhook',
      metrics: [...LANES.map((lane) => f.own(LANE_FIGURES[lane], 'Maximum', 1)), f.oldest('webhooks')],
    },
    { title: 'How late the reconciler is', metrics: [f.own('DueLagSeconds', 'Maximum', 1)] },
  ],
  [
    { title: 'Webhooks', metrics: [f.own('Deliveries', 'Sum'), f.own('DeliveriesFailed', 'Sum')] },
    {
      title: 'Tokens of models',
      metrics: [f.own('TokensIn', 'Sum'), f.own('TokensOut', 'Sum'), f.own('ModelErrors', 'Sum')],
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
