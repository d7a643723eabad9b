/** The handler of HTTP requests as a Lambda function, and the middlewares of all functions. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Log } from '../shared/core/log.ts';
import { isProblem } from '../shared/core/problem.ts';
import type { Dispatch } from './http/dispatch.ts';
import type { HttpRequestMessage } from './http/route.ts';

type FailedCall = { error: unknown; context: Pick<Context, 'awsRequestId'> };

/** Logs failures with AWS's request id and without secrets: Lambda's own line shows neither the cause nor the problem. */
export const failureLog = (log: Log) => ({
  onError({ error, context: { awsRequestId } }: FailedCall): void {
    log.error('the call failed', { awsRequestId, error, ...(isProblem(error) ? { problem: error.code } : {}) });
  },
});

/** Sends pending updates before the function is frozen; otherwise they would be sent at its next call, or never. */
export const flushUpdates = (settled: () => Promise<void>) => ({ after: settled });

/** Reserved for sending the response, out of the function's timeout, which is shorter than the gateway's. */
const RESERVED_MS = 1_000;

export const lambdaHandler =
  (dispatch: Dispatch) =>
  async (
    event: APIGatewayProxyEventV2,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<APIGatewayProxyStructuredResultV2> => {
    const withinMs = Math.max(0, context.getRemainingTimeInMillis() - RESERVED_MS);
    const incoming = toRequestMessage(event);
    const { status, headers, body } = await dispatch(incoming, { withinMs });
    return { statusCode: status, headers, body: incoming.method === 'HEAD' ? '' : body };
  };

const toRequestMessage = (event: APIGatewayProxyEventV2): HttpRequestMessage => ({
  method: event.requestContext.http.method,
  path: encodePath(event.rawPath),
  query: new URLSearchParams(event.rawQueryString),
  headers: event.headers,
  body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
  sourceAddress: event.requestContext.http.sourceIp,
  // A proxy in front of the gateway may have put its own name into the header.
  hosts: [event.headers.host, event.requestContext.domainName].filter((host) => host !== undefined),
});

/** The gateway decodes paths, contrary to its documentation; our routes are matched first and decoded by segment, so encode again. */
const encodePath = (rawPath: string): string => rawPath.toWellFormed().split('/').map(encodeURIComponent).join('/');
