/** AWS is called over TLS, and the server's certificate must name the requested host. */
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { dynamoClient } from '../../../adapters/aws/clients.ts';
import { authority } from '../../engines/outbound/certificates.ts';
import { connectionTo } from './serve.ts';

const usual = getCACertificates();
const trusted = authority('Trusted');
let ports: (number | undefined)[] = [];
let close = () => {};

async function open(pair: { cert: string; key: string }): Promise<string> {
  const server = createServer(pair, (request, response) => {
    ports.push(request.socket.remotePort);
    response.end('{"Item":{"pk":{"S":"p"}}}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const get = (address: string, client = dynamoClient(connectionTo(address))) =>
  client.send(new GetItemCommand({ TableName: 't', Key: {} }));

beforeEach(() => {
  ports = [];
  setDefaultCACertificates([...usual, trusted.cert]);
});
afterEach(() => {
  close();
  setDefaultCACertificates(usual);
});

it('connects to a server with a certificate for the name, twice over one connection', async () => {
  const address = await open(trusted.issue({ for: ['127.0.0.1'] }));
  const client = dynamoClient(connectionTo(address));
  expect(await get(address, client)).toMatchObject({ Item: { pk: { S: 'p' } } });
  await get(address, client);
  expect([ports.length, new Set(ports).size]).toEqual([2, 1]);
});

it.each([
  ['nobody knows', authority('Unknown').issue({ for: ['127.0.0.1'] })],
  ['is for another name', trusted.issue({ for: ['dynamodb.eu-central-1.amazonaws.com'] })],
  ['has run out', trusted.issue({ for: ['127.0.0.1'], until: new Date(0) })],
])('sends nothing to a server whose certificate %s', async (_, pair) => {
  await expect(get(await open(pair))).rejects.toMatchObject({ $metadata: { attempts: 1 } });
  expect(ports).toEqual([]);
});
