/** Between API Gateway's HTTP API events (payload 2.0) and the dispatcher. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Dispatch } from './dispatch.ts';
import type { HttpRequestMessage } from './request.ts';

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
