/** Between API Gateway's HTTP API events (payload 2.0) and the dispatcher. */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { Problem } from '../../shared/core/problem.ts';
import type { Dispatch } from './dispatch.ts';
import type { Face, ShellContext } from './face.ts';
import type { Incoming } from './message.ts';

export const lambdaHandler =
  (dispatch: Dispatch) =>
  async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
    const { status, headers, body } = await dispatch(incomingOf(event));
    return { statusCode: status, headers, body };
  };

const incomingOf = (event: APIGatewayProxyEventV2): Incoming => ({
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

/** The function answers before the gateway gives up on it, so that the caller gets an answer in our own shape. */
export const earlyAnswer = <C extends ShellContext>(face: Face<C>, { ids, clock }: C) => ({
  timeoutEarlyInMillis: 1_000,
  timeoutEarlyResponse: (): APIGatewayProxyStructuredResultV2 => {
    const requestId = ids.uuid();
    const problem = new Problem('busy', 'The service took too long; try again.');
    const { status, body } = face.render(problem, { requestId, at: new Date(clock.now()) });
    const headers = { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' };
    return {
      statusCode: status,
      headers: { ...headers, 'retry-after': '5', 'x-request-id': requestId },
      body: JSON.stringify(body),
    };
  },
});
