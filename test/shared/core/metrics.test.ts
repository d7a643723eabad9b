/** Metrics in log lines, as CloudWatch extracts them. */
import { expect, it } from 'vitest';
import { logger } from '../../../shared/core/log.ts';
import { METRICS, metricFields } from '../../../shared/core/metrics.ts';
import { setClock } from '../../ports/clock.ts';
import type { Any } from '../../support/any.ts';

function lineOf(message: string, fields: object): Any {
  const lines: string[] = [];
  const besides = (line: Parameters<typeof metricFields>[1]) => metricFields('Errand/test', line);
  logger({ clock: setClock(), write: (line) => lines.push(line), minLevel: 'info', extraFields: besides }).info(
    message,
    { ...fields },
  );
  return JSON.parse(lines[0] ?? '');
}

it.each([
  ['request', { status: 202, ms: 7, method: 'POST', route: '/api/v1/tasks' }, { Submits: 1 }],
  ['request', { status: 429, ms: 1, method: 'POST', route: '/api/v1/tasks' }, { Refusals: 1, Limited: 1 }],
  ['request', { status: 500, ms: 1 }, { Faults: 1 }],
  ['request', { status: 503, ms: 1, problem: 'atCapacity' }, { Limited: 1, AtCapacity: 1 }],
  ['request', { status: 503, ms: 1, problem: 'busy' }, { Faults: 1 }],
  [
    'a task ended',
    { state: 'succeeded', taskMs: 90, workMs: 60, inputTokens: 5, outputTokens: 0 },
    { TasksEnded: 1, TaskMs: 90, WorkMs: 60, TokensIn: 5 },
  ],
  ['a task ended', { state: 'failed', taskMs: 9, workMs: 6 }, { TasksEnded: 1, TasksFailed: 1, TaskMs: 9, WorkMs: 6 }],
  ['an attempt failed', { code: 'MODEL_UNAVAILABLE' }, { AttemptsFailed: 1, ModelErrors: 1 }],
  ['an attempt failed', { code: 'PROCESSING_FAILED' }, { AttemptsFailed: 1 }],
  ['a webhook was sent', { status: 204, ms: 30 }, { Deliveries: 1, DeliveryMs: 30 }],
  ['a webhook was sent', { status: 302, ms: 30 }, { Deliveries: 1, DeliveriesFailed: 1, DeliveryMs: 30 }],
  ['a webhook was sent', { fault: 'timeout', ms: 15_000 }, { Deliveries: 1, DeliveriesFailed: 1, DeliveryMs: 15_000 }],
  [
    'due rows were processed',
    { cared: 3, lagMs: 200_000, laneMs: { normal: 700_000 } },
    { DueCared: 3, DueLagSeconds: 200, NormalLaneSeconds: 700 },
  ],
])('the line "%s" of %j measures %j', (message, fields, figures) => {
  const line = lineOf(message, fields);
  expect(line).toMatchObject({ message, ...figures });
  const [{ Namespace, Dimensions, Metrics }] = line._aws.CloudWatchMetrics;
  expect([Namespace, Dimensions]).toEqual(['Errand/test', [[]]]);
  const unitOf = (name: string) => METRICS[name as keyof typeof METRICS];
  expect(Metrics).toEqual(
    Object.keys(figures).map((Name) => (unitOf(Name) === 'Count' ? { Name } : { Name, Unit: unitOf(Name) })),
  );
  expect(line._aws.Timestamp).toBe(setClock().now());
  // Each metric is at the position that the line names, and is a number.
  for (const { Name } of Metrics) expect(line[Name]).toEqual(expect.any(Number));
});

it('measures nothing of a round that found nothing, or could not read the table', () => {
  expect(lineOf('due rows were processed', { cared: 0, lagMs: 0, laneMs: { high: 0 } })).not.toHaveProperty('_aws');
  expect(lineOf('due rows were processed', { cared: 0, left: 0 })).not.toHaveProperty('_aws');
});

it('reports nothing twice', () => {
  const line = lineOf('a task ended', { state: 'succeeded', taskMs: 90, workMs: 60, inputTokens: 5, outputTokens: 2 });
  for (const name of ['taskMs', 'workMs', 'inputTokens', 'outputTokens']) expect(line).not.toHaveProperty(name);
});

it('ignores other lines, and figures inside messages', () => {
  expect(lineOf('a hint was not sent', { ms: 7 })).not.toHaveProperty('_aws');
  expect(lineOf('constructor', {})).not.toHaveProperty('_aws');
  // The gateway itself counts and times successful requests.
  expect(lineOf('request', { status: 200, ms: 7, method: 'GET', route: '/api/v1/tasks' })).not.toHaveProperty('_aws');
  const line = lineOf('request', { status: 429, ms: 1, Refusals: 99, _aws: { Timestamp: 0 } });
  expect(line).toMatchObject({ Refusals: 1, _aws: { CloudWatchMetrics: [{ Namespace: 'Errand/test' }] } });
});
