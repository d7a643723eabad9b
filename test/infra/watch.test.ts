/** Alarms, who hears of them, the dashboard, and that the runbook says what to do. */
import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { ALARMS } from '../../infra/alarms.ts';
import { METRICS } from '../../shared/core/metrics.ts';
import type { Any } from '../any.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { ownFunctions, resourcesOf, templateOf, templateWith } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = templateOf(folder.path, 'dev');
const alarms = Object.values(resourcesOf(template, 'AWS::CloudWatch::Alarm')).map(({ Properties }) =>
  plain(Properties),
);

/** An alarm of one figure that has a label is written as one over a formula. */
function plain(alarm: Any): Any {
  const { MetricStat: stat } = alarm.Metrics?.length === 1 ? alarm.Metrics[0] : alarm;
  if (!stat) return alarm;
  const { Metrics: _one, ...others } = alarm;
  return { ...others, ...stat.Metric, Statistic: stat.Stat, Period: stat.Period };
}
const runbook = readFileSync('docs/runbook.md', 'utf8');
const section = /## Alarms\n([\s\S]*?)\n## /.exec(`${runbook}\n## `)?.[1] ?? '';
const headings = [...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);

it('has a name, a severity and a heading of the runbook for each alarm, and no heading besides', () => {
  expect(headings.toSorted()).toEqual(ALARMS.map(({ name }) => name).toSorted());
  for (const { AlarmName, AlarmDescription } of alarms) {
    const [, severity, heading] =
      /^\[(critical|warning)\] .+ docs\/runbook\.md#([a-z-]+)$/.exec(AlarmDescription) ?? [];
    expect(severity, AlarmName).toBeDefined();
    expect(headings).toContain(heading);
    expect(AlarmName.startsWith(`errand-dev-${heading}`)).toBe(true);
  }
});

it('says in the runbook how bad each is, and what to do', () => {
  for (const { name, severity } of ALARMS) {
    const text = section.split(`### ${name}\n`)[1]?.split('\n### ')[0] ?? '';
    expect(text.trimStart().startsWith(`**${severity === 'critical' ? 'Critical' : 'Warning'}.**`), name).toBe(true);
    expect(text.length, name).toBeGreaterThan(200);
  }
});

it('has an alarm for the dead letters of every queue that has some, at the first of them', () => {
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

const named = (name: string): Any => alarms.find(({ AlarmName }) => AlarmName === `errand-dev-${name}`);

it('calls when what is due waits for three minutes, and when nobody looks', () => {
  expect(named('due-lag')).toMatchObject({ MetricName: 'DueLagSeconds', Namespace: 'Errand/dev', Threshold: 180 });
  expect(named('due-lag')).toMatchObject({ Statistic: 'Maximum', Period: 60, TreatMissingData: 'notBreaching' });
  expect(named('reconciler-silent')).toMatchObject({
    MetricName: 'Invocations',
    ComparisonOperator: 'LessThanThreshold',
    TreatMissingData: 'breaching',
  });
});

it('watches the 5xx of every HTTP API, and the errors and throttles of every function', () => {
  const apis = Object.entries(resourcesOf(template, 'AWS::ApiGatewayV2::Api')).filter(
    ([, { Properties }]) => Properties.ProtocolType === 'HTTP',
  );
  const watched = alarms.filter(({ AlarmName }) => AlarmName.includes('-server-errors-'));
  expect(watched.map(({ Dimensions }) => Dimensions[0].Value.Ref).toSorted()).toEqual(
    apis.map(([id]) => id).toSorted(),
  );
  for (const name of ['function-errors', 'throttles']) {
    const text = JSON.stringify(named(name).Metrics);
    for (const id of Object.keys(ownFunctions(template))) expect(text, `${name} ${id}`).toContain(`"${id}"`);
  }
});

it('measures by figures that log lines really have', () => {
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

it('tells nobody where no address is given, and otherwise that address of each alarm and of its end', () => {
  expect(resourcesOf(template, 'AWS::SNS::Topic')).toEqual({});
  for (const alarm of alarms) expect(alarm).not.toHaveProperty('AlarmActions');
  const told = templateWith(folder.path, { alarmsEmail: 'ops@example.com' });
  told.hasResourceProperties('AWS::SNS::Subscription', { Protocol: 'email', Endpoint: 'ops@example.com' });
  const [topic] = Object.keys(resourcesOf(told, 'AWS::SNS::Topic'));
  for (const { Properties } of Object.values(resourcesOf(told, 'AWS::CloudWatch::Alarm'))) {
    expect(Properties).toMatchObject({ AlarmActions: [{ Ref: topic }], OKActions: [{ Ref: topic }] });
  }
});

it('has so few figures in one sum that CloudWatch takes it', () => {
  for (const { AlarmName, Metrics = [] } of alarms) expect(Metrics.length, AlarmName).toBeLessThanOrEqual(11);
});
