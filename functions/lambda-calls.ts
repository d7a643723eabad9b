/** Calls of the functions: middlewares for all of them, and batches of hints. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { Log } from '../shared/core/log.ts';
import { isProblem } from '../shared/core/problem.ts';

type FailedCall = { error: unknown; context: Pick<Context, 'awsRequestId'> };

/** Under AWS's own id of the call, and without secrets: Lambda's line on it shows neither the cause nor the problem. */
export const failureLog = (log: Log) => ({
  onError({ error, context: { awsRequestId } }: FailedCall): void {
    log.error('the call failed', { awsRequestId, error, ...(isProblem(error) ? { problem: error.code } : {}) });
  },
});

/** Updates that are frozen with the function would be sent at its next call, or never. */
export const handOver = (settled: () => Promise<void>) => ({ after: settled });

// Handles a batch of hints concurrently. Failed ones are reported, so that only these are delivered again.

/** `mustGo` is aborted so many milliseconds before the function's time is over. */
type ConsumeHint = (body: string, mustGo: AbortSignal) => Promise<void>;
/** Returns the positions of the bodies that failed; `queueArn` is the queue that they come from. */
type ConsumeAll = (batch: { bodies: string[]; queueArn: string; mustGo: AbortSignal }) => Promise<ReadonlySet<number>>;
type HintBatchOptions = { leaveMs: number };

export const hintBatch = (consume: ConsumeHint, options: HintBatchOptions) =>
  wholeBatch(async ({ bodies, mustGo }) => {
    const outcomes = await Promise.allSettled(bodies.map((body) => consume(body, mustGo)));
    return new Set(outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : [])));
  }, options);

export const wholeBatch =
  (consumeAll: ConsumeAll, { leaveMs }: HintBatchOptions) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const mustGo = new AbortController();
    const timer = setTimeout(() => mustGo.abort(), context.getRemainingTimeInMillis() - leaveMs);
    const bodies = Records.map(({ body }) => body);
    const queueArn = Records[0]?.eventSourceARN ?? '';
    const failed = await consumeAll({ bodies, queueArn, mustGo: mustGo.signal });
    clearTimeout(timer);
    const failures = Records.filter((_, at) => failed.has(at));
    return { batchItemFailures: failures.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
