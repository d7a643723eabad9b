/** Turns the result of a function into the response of an HTTP API. */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import type { Outcome } from '../lambda/runtime.ts';

export type Answer = { status: number; headers: Record<string, string | string[]>; body: Buffer };

/** Lambda's limit, in bytes of JSON. */
const MAX_RESULT_BYTES = 6_291_556;

/** A response that the gateway makes itself. */
export const own = (status: number, message: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
});

export const BAD_REQUEST = own(400, 'Bad Request');
export const TOO_LARGE = own(413, 'Request Entity Too Large');
export const FAILED = own(500, 'Internal Server Error');
export const UNAVAILABLE = own(503, 'Service Unavailable');

export function answerOf(outcome: Outcome): Answer {
  if ('error' in outcome || JSON.stringify(outcome.result ?? null).length > MAX_RESULT_BYTES) return FAILED;
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded = false } = structured(outcome.result);
  const texts = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    status: statusCode ?? 200,
    headers: { ...Object.fromEntries(texts), ...(cookies.length > 0 ? { 'set-cookie': cookies } : {}) },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

/** A result without a status code is the body of a 200. */
function structured(result: unknown): APIGatewayProxyStructuredResultV2 {
  if (typeof result === 'object' && result !== null && 'statusCode' in result) {
    return result as APIGatewayProxyStructuredResultV2;
  }
  return { statusCode: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(result ?? null) };
}
