/** What a stage costs in a month without any request, counted from its template. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { templateOf } from '../../infra/stack.ts';
import type { Any } from '../../support/any.ts';
import { markdownTable } from '../promises/markdown-table.ts';
import { PRICES, STANDING } from './prices.ts';

const MINUTES_A_MONTH = 30 * 24 * 60;
/** Lambda polls each queue with five long polls of twenty seconds at a time. */
const POLLS_A_MINUTE = 5 * 3;

type IdleCosts = Record<
  'alarms' | 'dashboard' | 'secrets' | 'polls of empty queues' | 'rounds of the reconciler',
  number
>;

/** `roundDollars`: one round of the reconciler with nothing due, in dollars per million. */
function idleCosts(resources: Any, roundDollars: number): IdleCosts {
  const typed = (type: string): Any[] => Object.values<Any>(resources).filter(({ Type }) => Type === type);
  const alarmedMetrics = typed('AWS::CloudWatch::Alarm').flatMap(
    ({ Properties: { Metrics } }) => Metrics?.filter(({ MetricStat }: Any) => MetricStat) ?? ['its only one'],
  );
  const polls = typed('AWS::Lambda::EventSourceMapping').length * POLLS_A_MINUTE * MINUTES_A_MONTH;
  const rounds = typed('AWS::Scheduler::Schedule').length * MINUTES_A_MONTH;
  return {
    alarms: alarmedMetrics.length * STANDING['CloudWatch: a metric of an alarm'],
    dashboard: typed('AWS::CloudWatch::Dashboard').length * STANDING['CloudWatch: a dashboard'],
    secrets: typed('AWS::SecretsManager::Secret').length * STANDING['Secrets Manager: a secret'],
    'polls of empty queues': (polls * PRICES['SQS, standard queue: a request']) / 1_000_000,
    'rounds of the reconciler': (rounds * roundDollars) / 1_000_000,
  };
}

const sumOfIdle = (costs: IdleCosts): number => Object.values(costs).reduce((sum, part) => sum + part, 0);

/** The stages of the table: one of a branch, and production that sends mails and alarms. */
const IDLE_STAGES: Record<string, { stage: string; context: Record<string, string> }> = {
  'an ephemeral stage without `alarms-email`': { stage: 'dev', context: {} },
  '`production` with `alarms-email` and `sender`': {
    stage: 'production',
    context: { 'alarms-email': 'ops@example.com', sender: 'news@example.com' },
  },
};

export function idleTable(roundDollars: number): string {
  const folder = join(tmpdir(), `errand-idle-${process.pid}`);
  const stages = Object.entries(IDLE_STAGES).map(([name, { stage, context }]) => ({
    name,
    costs: idleCosts(templateOf(folder, stage, undefined, context).toJSON().Resources, roundDollars),
  }));
  const parts = Object.keys(stages[0]?.costs ?? {}) as (keyof IdleCosts)[];
  return markdownTable(
    ['What', ...stages.map(({ name }) => name)],
    [
      ...parts.map((part) => [part, ...stages.map(({ costs }) => costs[part].toFixed(2))]),
      ['**together**', ...stages.map(({ costs }) => `**${sumOfIdle(costs).toFixed(2)}**`)],
    ],
  );
}
