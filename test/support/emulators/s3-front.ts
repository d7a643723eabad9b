/** One S3 server out of two: S3Proxy verifies signed URLs, and moto keeps versions, which the bucket of uploads needs. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Listening, listen } from '../../evidence/rehearsal/listen.ts';
import { forward } from '../../evidence/rehearsal/recorder/forward.ts';
import { verifyAddress } from './signed-address.ts';

type Servers = { s3ProxyUrl: string; motoUrl: string };

/** The bucket is in the path, because no emulator has a host name for each bucket. */
const KEEPS_VERSIONS = /^\/[^/?]*uploads/;

export async function openS3({ s3ProxyUrl, motoUrl }: Servers): Promise<Listening> {
  async function serve(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const isVersioned = KEEPS_VERSIONS.test(request.url ?? '');
    if (isVersioned && !(await isSigned(request))) return refuse(request, response);
    const reply = await forward(request, isVersioned ? motoUrl : s3ProxyUrl, { gone });
    response.writeHead(reply.statusCode ?? 500, reply.headers);
    await pipeline(reply, response);
  }

  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once('close', () => response.writableFinished || gone.abort());
    // The client sees a reset connection, as if the server behind had closed it.
    serve(request, response, gone.signal).catch(() => response.destroy());
  });
  return listen(server);
}

/** moto ignores signatures in the query, but reports missing keys to a request that has a signature header. */
async function isSigned(request: IncomingMessage): Promise<boolean> {
  if (request.headers.authorization !== undefined) return true;
  const found = await verifyAddress(request);
  if (found === undefined) return false;
  request.url = found.url;
  request.headers.authorization = found.authorization;
  return true;
}

function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  response.writeHead(403, { 'content-type': 'application/xml' });
  response.end('<Error><Code>SignatureDoesNotMatch</Code><Message>The address does not hold.</Message></Error>');
}
