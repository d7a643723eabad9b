/** Failures of the WebSocket gateway, which no emulator shows. */
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { gatewaySockets } from '../../../adapters/aws/websocket.ts';

const client = new ApiGatewayManagementApiClient({ region: 'eu-central-1', endpoint: 'https://connections.invalid' });
const gateway = mockClient(client);
beforeEach(() => void gateway.reset());
const sockets = gatewaySockets(() => client);
const gone = Object.assign(new Error('gone'), { name: 'GoneException' });
const failing = (status: number) => Object.assign(new Error('no'), { $metadata: { httpStatusCode: status } });

it('sends to, reads and closes the given connection', async () => {
  gateway.onAnyCommand().resolves({});
  expect(await sockets.post('c=', 'text')).toBe('sent');
  expect(await sockets.isThere('c=')).toBe(true);
  await sockets.close('c=');
  expect(gateway.calls().map(({ args: [command] }) => [command.constructor, command.input])).toEqual([
    [PostToConnectionCommand, { ConnectionId: 'c=', Data: 'text' }],
    [GetConnectionCommand, { ConnectionId: 'c=' }],
    [DeleteConnectionCommand, { ConnectionId: 'c=' }],
  ]);
});

it.each([gone, failing(410)])('treats 410 as gone (%s)', async (error) => {
  gateway.onAnyCommand().rejects(error);
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
    gateway.onAnyCommand().rejects(failing(status));
    await expect(sockets.post('c', 'text')).rejects.toMatchObject({ code });
    await expect(sockets.isThere('c')).rejects.toMatchObject({ code });
  }
});
