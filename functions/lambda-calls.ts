/** Calls of the functions: HTTP requests, batches of hints, and middlewares for all of them. */
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
  SQSBatchResponse,
  SQSEvent,
} from 'aws-lambda';
import type { Log } from '../shared/core/log.ts';
import { isProblem } from '../shared/core/problem.ts';
import type { Dispatch } from './http/dispatch.ts';
import type { HttpRequestMessage } from './http/route.ts';

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

/** Kept back for the answer's own way, of the time the function has; which is less than the gateway waits. */
const KEPT_MS = 1_000;

export const lambdaHandler =
  (dispatch: Dispatch) =>
  async (
    event: APIGatewayProxyEventV2,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const withinMs = Math.max(0, context.getRemainingTimeInMillis() - KEPT_MS);
    const incoming = incomingOf(event);
    const { status, headers, body } = await dispatch(incoming, { withinMs });
    return { statusCode: status, headers, body: incoming.method === 'HEAD' ? '' : body };
  };

const incomingOf = (event: APIGatewayProxyEventV2): HttpRequestMessage => ({
  method: event.requestContext.http.method,
  path: encoded(event.rawPath),
  query: new URLSearchParams(event.rawQueryString),
  headers: event.headers,
  body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  sourceAddress: event.requestContext.http.sourceIp,
  // What stands before the gateway may have put its own name into the header.
  hosts: [event.headers.host, event.requestContext.domainName].filter((host) => host !== undefined),
});

/** The gateway decodes a path, whatever its documentation says; ours are decoded part by part, behind the matching. */
const encoded = (rawPath: string): string => rawPath.toWellFormed().split('/').map(encodeURIComponent).join('/');
