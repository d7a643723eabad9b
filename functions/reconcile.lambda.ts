/** The reconciler as a Lambda function, called once a minute. */
import middy from '@middy/core';
import { blobsFrom, hintsFrom, logFrom, tableFrom } from '../aws/context.ts';
import { systemClock } from '../shared/core/clock.ts';
import { reconcile } from '../shared/reconcile/reconcile.ts';

const log = logFrom(process.env);
const ports = {
  table: tableFrom(process.env),
  blobs: blobsFrom(process.env),
  hints: hintsFrom(process.env, log),
  clock: systemClock,
  log,
};

export const handler = middy().handler(async () => {
  const cared = await reconcile(ports);
  log.info('reconciled', { cared });
});
