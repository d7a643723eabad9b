/** A mock of the AWS services that a first call uses, in this process, so that its CPU time is not counted for the function. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export const MASTER = 'm'.repeat(64);
export const VERSION = 'one';

const ANSWERS: Record<string, object> = {
  'DynamoDB_20120810.GetItem': {},
  'DynamoDB_20120810.BatchGetItem': { Responses: {} },
  'AmazonSQS.SendMessage': { MessageId: 'm', MD5OfMessageBody: 'c4ca4238a0b923820dcc509a6f75849b' },
};

/** The first version of a secret has no predecessor. */
function secretOf({ VersionStage }: { VersionStage?: string }): [status: number, body: object] {
  if (VersionStage === 'AWSPREVIOUS') return [400, { __type: 'ResourceNotFoundException' }];
  return [200, { ARN: 'arn', Name: 'master', VersionId: VERSION, SecretString: MASTER }];
}

async function answerTo(target: string, request: IncomingMessage): Promise<[status: number, body: object]> {
  const asked = await json(request).catch(() => ({}));
  return target === 'secretsmanager.GetSecretValue' ? secretOf(asked as object) : [200, ANSWERS[target] ?? {}];
}

export async function openAws(): Promise<{ address: string; asked: Set<string>; close(): void }> {
  const asked = new Set<string>();
  const server = createServer(async (request, response) => {
    const target = String(request.headers['x-amz-target']);
    asked.add(target);
    const [status, body] = await answerTo(target, request);
    const text = JSON.stringify(body);
    // AWS announces the length of these answers.
    const headers = { 'content-type': 'application/x-amz-json-1.0', 'content-length': Buffer.byteLength(text) };
    response.writeHead(status, headers).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
