/** Tests the event and the response of the simulated HTTP API. */
import { describe, expect, it } from 'vitest';
import { answerOf, FAILED } from './gateway/answer.ts';
import { type Asked, eventOf } from './gateway/event.ts';
import { decodePath } from './gateway/path.ts';
import { findRoute } from './gateway/routes.ts';

const routes = ['GET /a/{id}', 'GET /a/b', 'POST /a/{id}/c', 'ANY /any', '$default'].map((key) => ({
  key,
  functionId: 'F',
}));
const arrival = { api: 'Api', port: 4000, requestId: 'id=', at: new Date('2026-06-01T12:00:00Z') };

const event = (change: Partial<Asked>) => {
  const usual = {
    method: 'GET',
    path: '/a/1',
    queryString: '',
    rawHeaders: [],
    body: Buffer.alloc(0),
    sourceAddress: '192.0.2.1',
  };
  const asked = { ...usual, ...change };
  const found = findRoute(routes, asked.method, asked.path);
  if (!found) throw new Error('no route');
  return eventOf(asked, found, arrival);
};

describe('a path', () => {
  // As captured at a real HTTP API in July 2026 (hotsock/voker, vokerhttp/testdata/ingress-paths.json).
  it.each([
    ['/plain', '/plain'],
    ['/space%20value', '/space value'],
    ['/question%3Fvalue', '/question'],
    ['/percent%25done', undefined],
    ['/hash%23value', '/hash#value'],
    ['/slash%2Fvalue', '/slash/value'],
    ['/unicode-%CE%BB-%E4%B8%96%E7%95%8C', '/unicode-λ-世界'],
    ['/literal%252Fvalue', '/literal/value'],
    ['/literal%253Fvalue', '/literal?value'],
    ['/literal%2525value', '/literal%value'],
  ])('%s is handed on as %s', (sent, seen) => expect(decodePath(sent)).toBe(seen));
});

describe('a route', () => {
  it.each([
    ['GET', '/a/b', 'GET /a/b', {}],
    ['GET', '/a/1', 'GET /a/{id}', { id: '1' }],
    ['POST', '/a/1/c', 'POST /a/{id}/c', { id: '1' }],
    ['PATCH', '/any', 'ANY /any', {}],
    ['GET', '/a/', '$default', {}],
    ['DELETE', '/a/1', '$default', {}],
    ['OPTIONS', '/a/b', '$default', {}],
  ])('%s %s is taken by %s', (method, path, key, params) => {
    expect(findRoute(routes, method, path)).toEqual({ route: { key, functionId: 'F' }, params });
  });

  it('is not found where there is no default', () => {
    expect(findRoute([], 'GET', '/')).toBeUndefined();
  });
});

describe('an event', () => {
  it('holds the route, the path, its parameters and the query', () => {
    expect(event({ queryString: 'x=1&x=2&y=a%20b' })).toMatchObject({
      version: '2.0',
      routeKey: 'GET /a/{id}',
      rawPath: '/a/1',
      rawQueryString: 'x=1&x=2&y=a%20b',
      queryStringParameters: { x: '1,2', y: 'a b' },
      pathParameters: { id: '1' },
      isBase64Encoded: false,
      requestContext: { http: { method: 'GET', path: '/a/1', sourceIp: '192.0.2.1' }, stage: '$default' },
    });
  });

  it('leaves out fields that have no value', () => {
    expect(Object.keys(event({ path: '/a/b' })).sort()).toEqual([
      ...['headers', 'isBase64Encoded', 'rawPath', 'rawQueryString', 'requestContext', 'routeKey', 'version'],
    ]);
  });

  it('has header names in lower case, repeated headers joined, and no hop-by-hop headers', () => {
    const rawHeaders = ['Host', 'h', 'X-Two', 'a', 'x-two', 'b', 'Connection', 'close', 'Transfer-Encoding', 'chunked'];
    expect(event({ rawHeaders }).headers).toEqual({
      host: 'h',
      'x-two': 'a,b',
      'x-amzn-trace-id': 'Root=id=',
      'x-forwarded-for': '192.0.2.1',
      'x-forwarded-port': '4000',
      'x-forwarded-proto': 'http',
    });
  });

  it("appends the peer's address to X-Forwarded-For and does not trust the caller's entry", () => {
    const { headers, requestContext } = event({ rawHeaders: ['X-Forwarded-For', '198.51.100.9'] });
    expect(headers['x-forwarded-for']).toBe('198.51.100.9, 192.0.2.1');
    expect(requestContext.http.sourceIp).toBe('192.0.2.1');
  });

  it('holds cookies in a field of their own', () => {
    const { cookies, headers } = event({ rawHeaders: ['Cookie', 'a=1; b=2'] });
    expect([cookies, headers.cookie]).toEqual([['a=1', 'b=2'], undefined]);
  });

  it.each([
    ['application/json; charset=utf-8', false],
    ['Text/Plain', false],
    ['application/xml', false],
    ['application/problem+json', true],
    ['application/x-www-form-urlencoded', true],
    ['application/octet-stream', true],
    [undefined, true],
  ])('has a body of type %s in base64: %s', (type, isBase64Encoded) => {
    const rawHeaders = type === undefined ? [] : ['content-type', type];
    const { body = '', ...rest } = event({ rawHeaders, body: Buffer.from('{"ü":1}') });
    expect(rest.isBase64Encoded).toBe(isBase64Encoded);
    expect(Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString()).toBe('{"ü":1}');
  });
});

describe('an answer', () => {
  it('has the status, headers, cookies and body that the function returned', () => {
    const result = {
      statusCode: 201,
      headers: { 'X-A': 1 },
      cookies: ['a=1', 'b=2'],
      body: 'aGk=',
      isBase64Encoded: true,
    };
    const answer = answerOf({ result });
    expect(answer).toEqual({
      status: 201,
      headers: { 'x-a': '1', 'set-cookie': ['a=1', 'b=2'] },
      body: Buffer.from('hi'),
    });
  });

  it('without a status is a 200 with the result as its body', () => {
    const { status, body } = answerOf({ result: { hello: 1 } });
    expect([status, body.toString()]).toEqual([200, '{"hello":1}']);
  });

  it('is a plain 500 when the function failed or its result is too large', () => {
    expect(answerOf({ error: 'a secret' })).toEqual(FAILED);
    expect(answerOf({ result: { statusCode: 200, body: 'x'.repeat(6_300_000) } })).toEqual(FAILED);
  });
});
