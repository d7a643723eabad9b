/** A batch of hints as Lambda brings it: all at once, and what failed is named, so that only that comes again. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';

/** `mustGo` is aborted so many milliseconds before the function's time is over. */
type ConsumeHint = (body: string, mustGo: AbortSignal) => Promise<void>;
/** Returns the positions of the bodies that failed; `queueArn` is the queue that they come from. */
type ConsumeAll = (batch: { bodies: string[]; queueArn: string; mustGo: AbortSignal }) => Promise<ReadonlySet<number>>;
type HintBatchOptions = { leaveMs: number; settled: () => Promise<void> };

export const hintBatch = (consume: ConsumeHint, options: HintBatchOptions) =>
  wholeBatch(async ({ bodies, mustGo }) => {
    const outcomes = await Promise.allSettled(bodies.map((body) => consume(body, mustGo)));
    return new Set(outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : [])));
  }, options);

export const wholeBatch =
  (consumeAll: ConsumeAll, { leaveMs, settled }: HintBatchOptions) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const mustGo = new AbortController();
    const timer = setTimeout(() => mustGo.abort(), context.getRemainingTimeInMillis() - leaveMs);
    const bodies = Records.map(({ body }) => body);
    const queueArn = Records[0]?.eventSourceARN ?? '';
    const failed = await consumeAll({ bodies, queueArn, mustGo: mustGo.signal });
    clearTimeout(timer);
    // Updates that are frozen with the function would be sent at its next call, or never.
    await settled();
    const failures = Records.filter((_, at) => failed.has(at));
    return { batchItemFailures: failures.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
