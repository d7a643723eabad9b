/** Mutates requests: malformed bodies, headers, queries and path segments. */
import fc from 'fast-check';
import { hostileBody } from '../../functions/both-apis/hostile-body.ts';
import { type Json, pick } from './from-schema.ts';

type Random = () => number;

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const listed = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

/** Malformed JSON texts that cannot result from a value. */
const TEXTS: readonly ((good: string) => string)[] = [
  (good) => good.replace('{', '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},'),
  (good) => good.replace(/^\{"([^"]+)":/, '{"$1":[],"$1":'), // a duplicate key
  (good) => good.replace(/:"[^"]*"/, ':1e999'),
  (good) => good.replace(/:"[^"]*"/, `:${'9'.repeat(400)}`),
  (good) => good.replace(/:"[^"]*"/, ':"\\ud800"'),
  (good) => good.replace(/:"[^"]*"/, `:"\\u0000${'\\u202e'.repeat(50)}"`),
  (good) => good.replace(/:"[^"]*"/, `:${nested(200)}`),
  (good) => good.slice(0, -1),
  (good) => `\ufeff${good}`,
  (good) => `${good}${good}`,
  (good) => good.replaceAll('"', "'"),
  () => nested(5_000),
  () => listed(50_000),
  () => '',
  () => 'null',
  () => `"${'x'.repeat(900_000)}"`,
  () => `{"a":"${'x'.repeat(1_000_100)}"}`,
];

export function spoiltBody(good: Json, random: Random): Uint8Array | string {
  if (random() < 0.4) return pick(TEXTS, random)(JSON.stringify(good));
  const [body = ''] = fc.sample(hostileBody(good), { numRuns: 1, seed: Math.floor(random() * 2 ** 31) });
  return body;
}

const PARTS = [
  '%00',
  '%2e%2e',
  '..%2f..',
  '%ff',
  '%',
  '*',
  'null',
  '__proto__',
  'constructor',
  'task_',
  "'%20OR%201=1--",
  '%0d%0ax:1',
  '%F0%9F%92%A3',
  'x'.repeat(3_000),
  '-1',
  '{}',
  '01900000-0000-7000-8000-00000000ABCD',
  '%25252e',
  '[object%20Object]',
] as const;
export const spoiltPart = (random: Random): string => pick(PARTS, random);

const QUERIES = [
  '',
  '0',
  '-1',
  '1e3',
  '101',
  '99999999999999999999',
  '%00',
  '%ff',
  '%',
  '%F0%9F%92%A3',
  'created_at',
  'x'.repeat(4_000),
  'success,failure',
  'a%26b',
  '[]',
  'true',
  'eyJhIjoxfQ',
] as const;

/** A query of the operation's own parameters and of others. */
export function spoiltQuery(names: readonly string[], random: Random): string {
  if (random() < 0.4) return '';
  const known = [...names, ...names, '__proto__', 'limit', '%00', 'a[b]', ''];
  const pairs = Array.from(
    { length: 1 + Math.floor(random() * 4) },
    () => `${pick(known, random)}=${pick(QUERIES, random)}`,
  );
  return `?${pairs.join(random() < 0.9 ? '&' : ';')}`;
}

const ODD = [
  '',
  ' ',
  '\u00ff\u00fe',
  'x'.repeat(300),
  '$(id)',
  '"',
  'a,b',
  '0',
  '../x',
  '*',
  '\t',
  '%00',
  'null',
] as const;
const NAMES = [
  'idempotency-key',
  'x-request-id',
  'traceparent',
  'origin',
  'accept',
  'x-forwarded-for',
  'forwarded',
  'x-http-method-override',
  'accept-encoding',
  'if-none-match',
  'range',
  'cookie',
  'x-amzn-trace-id',
] as const;
const TYPES = [
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'APPLICATION/JSON',
  'application/json, text/plain',
  'application/ld+json',
  '',
  ';',
  'x',
] as const;

export function spoiltHeaders(random: Random): Record<string, string> {
  const headers: Record<string, string> = {};
  while (random() < 0.4) headers[pick(NAMES, random)] = pick(ODD, random);
  if (random() < 0.15) headers['content-type'] = pick(TYPES, random);
  return headers;
}

export const spoiltCredential = (good: Record<string, string>, random: Random): Record<string, string> => {
  const [[name, value] = ['authorization', '']] = Object.entries(good);
  const spoilt = pick(
    [
      '',
      'Bearer',
      'Bearer  ',
      'Basic YTpi',
      value.slice(0, -1),
      `${value}x`,
      `${value}, ${value}`,
      value.toUpperCase(),
      `Bearer ${'x'.repeat(5_000)}`,
      'Bearer \u00e9',
    ],
    random,
  );
  return { [name]: spoilt };
};
