import { expect, it } from 'vitest';
import { checkTransport } from '../../../functions/http/body.ts';
import { postOf } from './api-context.ts';

const odd = { ...postOf({}, 'key'), headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(1_000_001) };

it.each(['GET', 'DELETE'])('ignores the body of a %s', (method) => {
  expect(() => checkTransport({ ...odd, method }, {})).not.toThrow();
});

it('reads the body of a POST', () => {
  expect(() => checkTransport(odd, {})).toThrow('A body has at most 1000000 bytes.');
  expect(() => checkTransport({ ...odd, body: Buffer.from('a') }, {})).toThrow('Send the body as JSON');
});

it('reads a body as it is, and none that is encoded, whatever the encoding', () => {
  const encoded = (encoding: string, body = '{}') => ({
    ...postOf({}, 'key'),
    headers: { 'content-type': 'application/json', 'content-encoding': encoding },
    body: Buffer.from(body),
  });
  for (const encoding of ['gzip', 'br', 'zstd', 'x', 'gzip, identity'])
    expect(() => checkTransport(encoded(encoding), {})).toThrow('without content-encoding');
  expect(() => checkTransport(encoded('identity'), {})).not.toThrow();
  expect(() => checkTransport(encoded('gzip', ''), {})).not.toThrow();
});
