import { expect, it } from 'vitest';
import { callerAddress } from '../../../functions/http/caller-address.ts';

const SECRET = 'what only the edge knows';
const gateway = '198.51.100.7';
const viewerHeaders = (viewer: string, origin?: string) => ({
  'x-errand-viewer': viewer,
  ...(origin === undefined ? {} : { 'x-errand-origin': origin }),
});
const addressOf = (headers: Record<string, string>, sourceAddress = gateway, secret: string | undefined = SECRET) =>
  callerAddress(async () => secret)({ headers, sourceAddress });

it('is the address that our edge saw if the request came through our edge', async () => {
  expect(await addressOf(viewerHeaders('192.0.2.9', SECRET))).toBe('192.0.2.9');
  expect(await addressOf({ 'x-errand-origin': SECRET })).toBe(gateway);
});

it.each([undefined, '', 'what only the edge knowz', `${SECRET} `, 'x'])(
  'is the address that the gateway saw if the request only claims to come from the edge, with %j',
  async (origin) => {
    const headers = {
      ...viewerHeaders('192.0.2.9', origin),
      'x-forwarded-for': '192.0.2.10',
      forwarded: 'for=1.2.3.4',
    };
    expect(await addressOf(headers)).toBe(gateway);
  },
);

it('is the address that the gateway saw, without a CDN in front, whatever the headers claim', async () => {
  const noEdge = callerAddress(async () => undefined);
  for (const origin of ['', 'undefined', SECRET]) {
    expect(await noEdge({ headers: viewerHeaders('192.0.2.9', origin), sourceAddress: gateway })).toBe(gateway);
  }
});

it.each([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
  ['2001:db8::', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
])('uses the network of the IPv6 address %s', async (address, network) => {
  expect(await addressOf({}, address)).toBe(network);
  expect(await addressOf(viewerHeaders(address, SECRET))).toBe(network);
});

it('uses any other address unchanged', async () => {
  expect(await addressOf({}, '')).toBe('');
  expect(await addressOf(viewerHeaders('unknown', SECRET))).toBe('unknown');
});
