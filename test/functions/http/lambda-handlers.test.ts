/** What the Lambda entries share. */
import middy from '@middy/core';
import { expect, it, vi } from 'vitest';
import { failureLog, flushUpdates } from '../../../functions/lambda-handlers.ts';
import { type Fields, logger } from '../../../shared/core/log.ts';
import { Problem } from '../../../shared/core/problem.ts';
import { setClock } from '../../ports/clock.ts';

const context = { awsRequestId: 'r-1', getRemainingTimeInMillis: () => 1_000 } as never;

function lines() {
  const written: Fields[] = [];
  const log = logger({ clock: setClock(), minLevel: 'info', write: (line) => written.push(JSON.parse(line)) });
  return { written, log };
}

it('answers after the remaining log lines and spans were sent', async () => {
  const flushed = Promise.withResolvers<void>();
  const handler = middy<object, string>()
    .use(flushUpdates(() => flushed.promise))
    .handler(async () => 'answer');
  const onAnswer = vi.fn();
  const answer = handler({}, context).then(onAnswer);
  await new Promise((go) => setImmediate(go));
  expect(onAnswer).not.toHaveBeenCalled();
  flushed.resolve();
  await answer;
  expect(onAnswer).toHaveBeenCalledWith('answer');
});

it('logs a failed call with its id and problem, without secrets, and rethrows its error', async () => {
  const { written, log } = lines();
  const handler = middy<object, string>()
    .use([failureLog(log), flushUpdates(async () => undefined)])
    .handler(async () => {
      throw new Problem('busy', 'The table is busy for errand_12345678901_secret.');
    });
  await expect(handler({}, context)).rejects.toThrow('The table is busy');
  expect(written).toMatchObject([{ level: 'error', message: 'the call failed', awsRequestId: 'r-1', problem: 'busy' }]);
  expect(JSON.stringify(written)).not.toContain('secret');
});

it('does not log a successful call', async () => {
  const { written, log } = lines();
  const handler = middy<object, string>()
    .use(failureLog(log))
    .handler(async () => 'answer');
  expect(await handler({}, context)).toBe('answer');
  expect(written).toEqual([]);
});
