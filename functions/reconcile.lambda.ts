/** The reconciler as a Lambda function, called once a minute. */
import middy from '@middy/core';
import { blobsFrom, hintsFrom, logFrom, newsFrom, socketsFrom, tableFrom } from '../aws/context.ts';
import { systemClock } from '../shared/core/clock.ts';
import { reconcile } from '../shared/reconcile/reconcile.ts';
import { WORDS } from './socket/words.ts';

const log = logFrom(process.env);
const table = tableFrom(process.env);
const sockets = socketsFrom(process.env);
const { tell, settled } = newsFrom({ table, log, sockets, words: WORDS });
const ports = {
  table,
  blobs: blobsFrom(process.env),
  hints: hintsFrom(process.env, log),
  clock: systemClock,
  log,
  tell,
  sayEnding: (connection: string, endsAt: number) => sockets.post(connection, WORDS.ending(endsAt)),
};

export const handler = middy().handler(async () => {
  await reconcile(ports);
  await settled();
});
