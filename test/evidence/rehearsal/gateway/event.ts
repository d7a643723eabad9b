/** Turns an HTTP request into the event of an HTTP API (payload 2.0). */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { ACCOUNT } from '../stack/template.ts';
import type { Found } from './routes.ts';

export type Asked = {
  method: string;
  path: string;
  queryString: string;
  /** Names and values alternate, as in Node's `rawHeaders`. */
  rawHeaders: string[];
  body: Buffer;
  sourceAddress: string;
};

export type Arrival = { api: string; port: number; requestId: string; at: Date };

const HOP_BY_HOP = new Set(['connection', 'expect', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade']);

/** Observed at a real HTTP API: every other body, forms and bodies without a type included, is base64-encoded. */
const TEXT = /^(text\/.*|application\/(json|xml|javascript))$/;

export function eventOf(asked: Asked, { route, params }: Found, arrival: Arrival): APIGatewayProxyEventV2 {
  const { cookie, ...headers } = headersOf(asked, arrival);
  const query = [...new URLSearchParams(asked.queryString)];
  const isText = TEXT.test((headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '');
  return {
    version: '2.0',
    routeKey: route.key,
    rawPath: asked.path,
    rawQueryString: asked.queryString,
    ...(cookie === undefined ? {} : { cookies: cookie.split(/; */) }),
    headers,
    ...(query.length > 0 ? { queryStringParameters: joinPairs(query) } : {}),
    ...(Object.keys(params).length > 0 ? { pathParameters: params } : {}),
    requestContext: contextOf(asked, route.key, arrival),
    ...(asked.body.byteLength > 0 ? { body: asked.body.toString(isText ? 'utf8' : 'base64') } : {}),
    isBase64Encoded: asked.body.byteLength > 0 && !isText,
  };
}

function headersOf({ rawHeaders, sourceAddress }: Asked, { port, requestId }: Arrival): Record<string, string> {
  const pairs = rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[name.toLowerCase(), rawHeaders[at + 1] ?? '']] : [],
  );
  const { 'x-forwarded-for': before, ...headers } = joinPairs(
    (pairs as [string, string][]).filter(([name]) => !HOP_BY_HOP.has(name) && !name.startsWith('proxy-')),
  );
  return {
    'x-amzn-trace-id': `Root=${requestId}`,
    ...headers,
    'x-forwarded-for': before === undefined ? sourceAddress : `${before}, ${sourceAddress}`,
    'x-forwarded-port': String(port),
    'x-forwarded-proto': 'http',
  };
}

/** Joins repeated names by a comma. */
function joinPairs(pairs: [string, string][]): Record<string, string> {
  const together = new Map<string, string>();
  for (const [name, value] of pairs) {
    const before = together.get(name);
    together.set(name, before === undefined ? value : `${before},${value}`);
  }
  return Object.fromEntries(together);
}

const contextOf = (
  { method, path, sourceAddress, rawHeaders }: Asked,
  routeKey: string,
  { api, requestId, at }: Arrival,
): APIGatewayProxyEventV2['requestContext'] => ({
  accountId: ACCOUNT,
  apiId: api,
  domainName: `${api}.rehearsal`,
  domainPrefix: api,
  http: {
    method,
    path,
    protocol: 'HTTP/1.1',
    sourceIp: sourceAddress,
    userAgent: rawHeaders[rawHeaders.findIndex((name) => name.toLowerCase() === 'user-agent') + 1] ?? '',
  },
  requestId,
  routeKey,
  stage: '$default',
  time: at.toUTCString(),
  timeEpoch: at.getTime(),
});
