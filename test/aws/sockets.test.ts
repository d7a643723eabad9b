/** Failures of the WebSocket gateway, which no emulator shows. */
import { beforeEach, expect, it, vi } from 'vitest';
import { gatewaySockets } from '../../adapters/aws/websocket.ts';

const ask = vi.fn();
beforeEach(() => void ask.mockReset());
const sockets = gatewaySockets({ ask });
const gone = Object.assign(new Error('gone'), { name: 'GoneException' });
const failing = (status: number) => Object.assign(new Error('no'), { $metadata: { httpStatusCode: status } });

it('sends to, reads and closes the given connection', async () => {
  ask.mockResolvedValue({ headers: {}, body: '' });
  expect(await sockets.post('c=', 'text')).toBe('sent');
  expect(await sockets.isThere('c=')).toBe(true);
  await sockets.close('c=');
  const path = '/@connections/c%3D';
  expect(ask.mock.calls.flat()).toEqual([
    { method: 'POST', path, headers: { 'content-type': 'text/plain' }, body: 'text' },
    { method: 'GET', path },
    { method: 'DELETE', path },
  ]);
});

it.each([gone, failing(410)])('treats 410 as gone (%s)', async (error) => {
  ask.mockRejectedValue(error);
  expect(await sockets.post('c', 'text')).toBe('gone');
  expect(await sockets.isThere('c')).toBe(false);
  await sockets.close('c');
});

it('treats no other failure as gone', async () => {
  for (const [status, code] of [
    [429, 'busy'],
    [503, 'busy'],
    [403, 'badSetting'],
  ] as const) {
    ask.mockRejectedValue(failing(status));
    await expect(sockets.post('c', 'text')).rejects.toMatchObject({ code });
    await expect(sockets.isThere('c')).rejects.toMatchObject({ code });
  }
});
