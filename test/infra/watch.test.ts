/** Alarms, their recipients, the dashboard, and an entry in the runbook for each alarm. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { INDEXES } from '../../adapters/aws/dynamo-items.ts';
import { ALARMS } from '../../infra/constructs/monitoring.ts';
import { LANES } from '../../shared/core/lane.ts';
import { LANE_FIGURES, METRICS } from '../../shared/core/metrics.ts';
import { QUEUE_LIMITS } from '../../shared/core/queue-limits.ts';
import { MAX_LANE_AGE_MS } from '../../shared/lanes/admission.ts';
import type { Any } from '../support/any.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ownFunctions, resourcesOf, templateOf, templateWith } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = templateOf(folder.path, 'production', undefined, { sender: 'news@example.com' });
const alarms = Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(({ Properties }) =>
  plain(Properties),
);

/** The CDK writes an alarm of one labelled metric as a formula. */
function plain(alarm: Any): Any {
  const { MetricStat: stat } = alarm.Metrics?.length === 1 ? alarm.Metrics[0] : alarm;
  if (!stat) return alarm;
  const { Metrics: _one, ...others } = alarm;
  return { ...others, ...stat.Metric, Statistic: stat.Stat, Period: stat.Period };
}
const runbook = readFileSync('docs/operations/runbook.md', 'utf8');
const section = /## Alarms\n([\s\S]*?)\n## /.exec(`${runbook}\n## `)?.[1] ?? '';
const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);

it('has a name, a severity and a runbook heading for each alarm, and no other headings', () => {
  expect(headings.toSorted()).toEqual(ALARMS.map(({ name }) => name).toSorted());
  for (const { AlarmName, AlarmDescription } of alarms) {
    const [, severity, heading] =
      /^\[(critical|warning)\] .+ docs\/operations\/runbook\.md#([a-z-]+)$/.exec(AlarmDescription) ?? [];
    expect(severity, AlarmName).toBeDefined();
    expect(headings).toContain(heading);
    expect(AlarmName.startsWith(`errand-production-${heading}`)).toBe(true);
  }
});

it('states in the runbook how severe each alarm is, and what to do', () => {
  for (const { name, severity } of ALARMS) {
    const text = section.split(`### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
    expect(text.trimStart().startsWith(`**${severity === 'critical' ? 'Critical' : 'Warning'}.**`), name).toBe(true);
    expect(text.length, name).toBeGreaterThan(200);
  }
});

it('alarms at the first dead letter of every queue', () => {
  const queues = Object.keys(resourcesOf(template, 'AWS::SQS::Queue')).filter((id) => id.includes('DeadLetters'));
  const watched = alarms.filter(({ AlarmName }) => AlarmName.includes('-dead-letters-'));
  const ids = watched.map(({ Dimensions }) => Dimensions[0].Value['Fn::GetAtt'][0]);
  expect(ids.toSorted()).toEqual(queues.toSorted());
  for (const alarm of watched) {
    expect(alarm).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 1,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    });
  }
});

const alarmNamed = (name: string): Any => alarms.find(({ AlarmName }) => AlarmName === `errand-production-${name}`);

it('alarms when due work waits for three minutes, and when the reconciler does not run', () => {
  expect(alarmNamed('due-lag')).toMatchObject({
    MetricName: 'DueLagSeconds',
    Namespace: 'Errand/production',
    Threshold: 180,
  });
  expect(alarmNamed('due-lag')).toMatchObject({ Statistic: 'Maximum', Period: 60, TreatMissingData: 'notBreaching' });
  expect(alarmNamed('reconciler-silent')).toMatchObject({
    MetricName: 'Invocations',
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
  });
});

/** The summed metrics, by the ids in the formula. */
const sumOf = (name: string): { formula: string; figures: Record<string, Any> } => {
  const { Metrics } = alarmNamed(name);
  const figures = Metrics.filter(({ MetricStat }: Any) => MetricStat).map(({ Id, MetricStat }: Any) => [
    Id,
    MetricStat,
  ]);
  return {
    formula: Metrics.find(({ Expression }: Any) => Expression).Expression,
    figures: Object.fromEntries(figures),
  };
};

it('watches the 5xx responses of every HTTP API and of API Gateway itself, except those at capacity', () => {
  const apis = Object.entries(resourcesOf(template, 'AWS::ApiGatewayV2::Api')).filter(
    ([, { Properties }]) => Properties.ProtocolType === 'HTTP',
  );
  const { formula, figures } = sumOf('server-errors');
  const { m0, m1, full, ...others } = figures;
  expect([formula, others]).toEqual(['FILL(m0, 0)+FILL(m1, 0)-FILL(full, 0)', {}]);
  const watched = [m0, m1].map(({ Metric }) => [Metric.MetricName, Metric.Dimensions[0].Value.Ref]);
  expect(watched.toSorted()).toEqual(apis.map(([id]) => ['5xx', id]).toSorted());
  expect(full.Metric).toEqual({ Namespace: 'Errand/production', MetricName: 'AtCapacity' });
});

it('watches the errors and throttles of every function, also when others report none', () => {
  for (const name of ['function-errors', 'throttles']) {
    const text = JSON.stringify(alarmNamed(name).Metrics);
    for (const id of Object.keys(ownFunctions(template))) expect(text, `${name} ${id}`).toContain(`"${id}"`);
    expect(sumOf(name).formula).toMatch(/^FILL\(m0, 0\)(\+FILL\(m\d, 0\))+$/);
  }
});

it('watches throttled requests of the table and of each index', () => {
  const { formula, figures } = sumOf('table-throttles');
  const watched = Object.values(figures).map(({ Metric: { MetricName, Dimensions } }) => {
    const index = Dimensions.find(({ Name }: Any) => Name === 'GlobalSecondaryIndexName')?.Value;
    return `${MetricName} ${index ?? 'table'}`;
  });
  const places = ['table', ...Object.values(INDEXES).map(({ name }) => name)];
  const expected = places.flatMap((place) => [`ReadThrottleEvents ${place}`, `WriteThrottleEvents ${place}`]);
  expect(watched.toSorted()).toEqual(expected.toSorted());
  expect(formula.match(/FILL/g)).toHaveLength(expected.length);
});

it('alarms for a lane at the task age at which submits are rejected, not counting hints for running tasks', () => {
  for (const lane of LANES)
    expect(alarmNamed(`waiting-work-${lane}`)).toMatchObject({
      Namespace: 'Errand/production',
      MetricName: LANE_FIGURES[lane],
      Statistic: 'Maximum',
      Threshold: MAX_LANE_AGE_MS / 1_000,
    });
});

it('alarms for webhooks that wait longer than any delay and its retries explain', () => {
  const [id = ''] = Object.keys(resourcesOf(template, 'AWS::SQS::Queue')).filter((each) => /WebhooksQueue/.test(each));
  const alarm = alarmNamed('waiting-webhooks');
  expect(alarm).toMatchObject({
    MetricName: 'ApproximateAgeOfOldestMessage',
    Dimensions: [{ Value: { 'Fn::GetAtt': [id, 'QueueName'] } }],
  });
  const { VisibilityTimeout } = resourcesOf(template, 'AWS::SQS::Queue')[id]?.Properties ?? {};
  expect(alarm.Threshold).toBeGreaterThan(QUEUE_LIMITS.delaySeconds + 2 * Number(VisibilityTimeout));
});

it('measures metrics that log lines contain', () => {
  const metrics = alarms.flatMap(({ Namespace, MetricName, Metrics = [] }) => [
    { Namespace, MetricName },
    ...Metrics.flatMap(({ MetricStat }: Any) => (MetricStat ? [MetricStat.Metric] : [])),
  ]);
  const own = metrics.filter(({ Namespace }) => Namespace?.startsWith('Errand/'));
  expect(own.length).toBeGreaterThan(3);
  for (const { MetricName } of own) expect(Object.keys(METRICS)).toContain(MetricName);
  const [dashboard] = Object.values(resourcesOf(template, 'AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties.DashboardBody);
  for (const name of ['Submits', 'TaskMs', 'DueLagSeconds', 'Deliveries', 'TokensIn', 'Refusals']) {
    expect(body).toContain(name);
  }
});

it('sends nothing without an address, and otherwise each alarm and its recovery', () => {
  expect(resourcesOf(template, 'AWS::SNS::Topic')).toEqual({});
  for (const alarm of alarms) expect(alarm).not.toHaveProperty('AlarmActions');
  const told = templateWith(folder.path, { alarmsEmail: 'ops@example.com' });
  told.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
  const [topic] = Object.keys(resourcesOf(told, 'AWS::SNS::Topic'));
  const [buried] = Object.keys(resourcesOf(told, 'AWS::SQS::Queue')).filter((id) => id.startsWith('Undelivered'));
  told.hasResourceProperties('AWS::SNS::Subscription', {
    RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': [buried, 'Arn'] } },
  });
  for (const { Properties } of Object.values(resourcesOf(told, 'AWS::CloudWatch::Alarm'))) {
    expect(Properties).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
  }
});

it('has neither alarms nor a dashboard in an ephemeral stage without an address, and both in any other', () => {
  const plainStage = templateOf(folder.path, 'dev');
  const withAddress = templateWith(folder.path, { alarmsEmail: 'ops@example.com' });
  for (const type of ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::Dashboard']) {
    expect(resourcesOf(plainStage, type), type).toEqual({});
    expect(Object.keys(resourcesOf(withAddress, type)).length, type).toBeGreaterThan(0);
    expect(Object.keys(resourcesOf(template, type)).length, type).toBeGreaterThan(0);
  }
});

it('watches calls that Lambda drops, of every function', () => {
  const text = JSON.stringify(alarmNamed('dropped-calls').Metrics);
  for (const id of Object.keys(ownFunctions(template))) expect(text, id).toContain(`"${id}"`);
  const figures = Object.values(sumOf('dropped-calls').figures).map(({ Metric }) => Metric.MetricName);
  expect([...new Set(figures)].sort()).toEqual(['AsyncEventsDropped', 'RecursiveInvocationsDropped']);
});

it('watches the reputation of the mail account only where the stage sends mails', () => {
  expect(JSON.stringify(alarmNamed('mail-reputation-BounceRate').Metrics)).toContain('Reputation.BounceRate');
  const silent = Object.values(
    resourcesOf(templateWith(folder.path, { isEphemeral: false }), 'AWS::CloudWatch::Alarm'),
  );
  expect(silent.filter(({ Properties }) => String(Properties.AlarmName).includes('mail-reputation'))).toEqual([]);
});

it('adds up no more metrics in one expression than CloudWatch accepts', () => {
  for (const { AlarmName, Metrics = [] } of alarms) expect(Metrics.length, AlarmName).toBeLessThanOrEqual(11);
});
