import { expect, it } from 'vitest';
import { checkTransport } from '../../functions/http/body.ts';
import { postOf } from './shell.ts';

const odd = { ...postOf({}, 'key'), headers: { 'content-type': 'text/plain' }, body: Buffer.alloc(1_000_001) };

it.each(['GET', 'DELETE'])('ignores the body of a %s', (method) => {
  expect(() => checkTransport({ ...odd, method }, {})).not.toThrow();
});

it('reads the body of a POST', () => {
  expect(() => checkTransport(odd, {})).toThrow('A body has at most 1000000 bytes.');
  expect(() => checkTransport({ ...odd, body: Buffer.from('a') }, {})).toThrow('Send the body as JSON');
});
