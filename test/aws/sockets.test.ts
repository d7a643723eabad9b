/** What no server here can play: how the gateway of the connections fails. */
import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GetConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, expect, it } from 'vitest';
import { gatewaySockets } from '../../aws/sockets.ts';

const client = new ApiGatewayManagementApiClient({ region: 'eu-central-1', endpoint: 'https://gateway.test/live' });
const sent = mockClient(client);
beforeEach(() => sent.reset());
const sockets = gatewaySockets({ client });
const gone = new GoneException({ message: 'gone', $metadata: { httpStatusCode: 410 } });
const failing = (status: number) => Object.assign(new Error('no'), { $metadata: { httpStatusCode: status } });

it('posts, looks and ends, each by the connection it is told', async () => {
  sent.onAnyCommand().resolves({});
  expect(await sockets.post('c', 'text')).toBe('sent');
  expect(await sockets.isThere('c')).toBe(true);
  await sockets.close('c');
  const inputs = [PostToConnectionCommand, GetConnectionCommand, DeleteConnectionCommand].map(
    (command) => sent.commandCalls(command as typeof PostToConnectionCommand)[0]?.args[0].input,
  );
  expect(inputs).toEqual([{ ConnectionId: 'c', Data: 'text' }, { ConnectionId: 'c' }, { ConnectionId: 'c' }]);
});

it.each([gone, failing(410)])('takes 410 for gone (%s)', async (error) => {
  sent.onAnyCommand().rejects(error);
  expect(await sockets.post('c', 'text')).toBe('gone');
  expect(await sockets.isThere('c')).toBe(false);
  await sockets.close('c');
});

it('takes no other failure for gone', async () => {
  for (const [status, code] of [
    [429, 'busy'],
    [503, 'busy'],
    [403, 'badSetting'],
  ] as const) {
    sent.onAnyCommand().rejects(failing(status));
    await expect(sockets.post('c', 'text')).rejects.toMatchObject({ code });
    await expect(sockets.isThere('c')).rejects.toMatchObject({ code });
  }
});
