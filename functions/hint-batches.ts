/** Handles a batch of hints as a Lambda function. Failed ones are reported, so that only these are redelivered. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';

/** `stopSignal` is aborted `reservedMs` milliseconds before the function times out. */
type ConsumeHint = (body: string, stopSignal: AbortSignal) => Promise<void>;
/** Returns the positions of the bodies that failed; `queueArn` is the queue that they come from. */
type ConsumeAll = (batch: {
  bodies: string[];
  queueArn: string;
  stopSignal: AbortSignal;
}) => Promise<ReadonlySet<number>>;
type HintBatchOptions = { reservedMs: number };

export const hintBatch = (consume: ConsumeHint, options: HintBatchOptions) =>
  wholeBatch(async ({ bodies, stopSignal }) => {
    const outcomes = await Promise.allSettled(bodies.map((body) => consume(body, stopSignal)));
    return new Set(outcomes.flatMap(({ status }, at) => (status === 'rejected' ? [at] : [])));
  }, options);

export const wholeBatch =
  (consumeAll: ConsumeAll, { reservedMs }: HintBatchOptions) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const stopController = new AbortController();
    const timer = setTimeout(() => stopController.abort(), context.getRemainingTimeInMillis() - reservedMs);
    const bodies = Records.map(({ body }) => body);
    const queueArn = Records[0]?.eventSourceARN ?? '';
    const failed = await consumeAll({ bodies, queueArn, stopSignal: stopController.signal });
    clearTimeout(timer);
    const failures = Records.filter((_, at) => failed.has(at));
    return { batchItemFailures: failures.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
