/** The worker as a Lambda function: the hints of one lane, a few at once, because most of a task is waiting for a model. */
import middy from '@middy/core';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { blobsFrom, hintsFrom, logFrom, tableFrom } from '../aws/context.ts';
import { chatAgent } from '../engines/agents/chat.ts';
import { systemClock, systemEvery } from '../shared/core/clock.ts';
import { runHint } from '../shared/tasks/run-hint.ts';
import { hintBatch } from './hint-batch.ts';

/** Enough to keep a result, hand the task back and answer. */
const HAND_OVER_MS = 30_000;

const clock = systemClock;
const table = tableFrom(process.env);
const blobs = blobsFrom(process.env);
const log = logFrom(process.env);
const ports = {
  table,
  clock,
  log,
  hints: hintsFrom(process.env, log),
  every: systemEvery,
  agents: { chat: chatAgent({ table, blobs, clock }) },
};

export const handler = middy<SQSEvent, SQSBatchResponse>().handler(
  hintBatch((body, mustGo) => runHint(ports, body, mustGo), { leaveMs: HAND_OVER_MS }),
);
