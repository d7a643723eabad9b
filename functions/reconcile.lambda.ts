/** The reconciler as a Lambda function, called once a minute; it also handles bounced mails. */

import middy from '@middy/core';
import {
  batchedHintsFrom,
  blobsFrom,
  logFrom,
  notifierFrom,
  schedulerFrom,
  socketsFrom,
  tableFrom,
} from '../adapters/aws/context.ts';
import { isMailEvent, mailReportIn } from '../adapters/aws/mail-reports.ts';
import { systemClock } from '../shared/core/time.ts';
import { sweepUploads } from '../shared/files/sweep-uploads.ts';
import { handleMailEvent } from '../shared/mail/mail-events.ts';
import { limitsWithin, reconcile } from '../shared/reconcile/reconcile.ts';
import { scheduleRepairer } from '../shared/reconcile/task-schedules.ts';
import { failureLog } from './lambda-handlers.ts';
import { SOCKET_TEXTS } from './message-bodies.ts';

const log = logFrom(process.env);
const table = tableFrom(process.env);
const sockets = socketsFrom(process.env);
const { notifyTask, settled } = notifierFrom({ table, log, sockets, words: SOCKET_TEXTS });
const scheduler = schedulerFrom(process.env);
const ports = {
  table,
  blobs: blobsFrom(process.env),
  hints: batchedHintsFrom(process.env, log),
  clock: systemClock,
  log,
  scheduler,
  notifyTask,
  sayEnding: (connection: string, endsAt: number) => sockets.post(connection, SOCKET_TEXTS.ending(endsAt)),
};

/** An unreadable event is not retried, because it would be unreadable again. */
async function handleEvent(event: unknown): Promise<void> {
  const mailEvent = mailReportIn(event);
  if (mailEvent) await handleMailEvent(ports, mailEvent);
  else log.warn('an event of an unknown e-mail was ignored');
}

const repairSchedules = scheduleRepairer({ scheduler, table, log });

export const handler = middy<unknown>()
  .use(failureLog(log))
  .handler(async (event, context) => {
    if (isMailEvent(event)) return handleEvent(event);
    const limits = limitsWithin(context.getRemainingTimeInMillis());
    await reconcile(ports, limits);
    await repairSchedules();
    // Before the sweep, which sends no updates and may take long.
    await settled();
    await sweepUploads(ports, limits.stop);
  });
