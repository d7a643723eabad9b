/** A batch of hints as Lambda brings it: all at once, and what failed is named, so that only that comes again. */
import type { Context, SQSBatchResponse, SQSEvent } from 'aws-lambda';

/** `mustGo` is aborted so many milliseconds before the function's time is over. */
type Consume = (body: string, mustGo: AbortSignal) => Promise<void>;

export const hintBatch =
  (consume: Consume, { leaveMs, settled }: { leaveMs: number; settled: () => Promise<void> }) =>
  async ({ Records }: SQSEvent, context: Context): Promise<SQSBatchResponse> => {
    const mustGo = new AbortController();
    const timer = setTimeout(() => mustGo.abort(), context.getRemainingTimeInMillis() - leaveMs);
    const outcomes = await Promise.allSettled(Records.map(({ body }) => consume(body, mustGo.signal)));
    clearTimeout(timer);
    // What is frozen with the function would be told at its next call, or never.
    await settled();
    const failed = Records.filter((_, at) => outcomes[at]?.status === 'rejected');
    return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  };
