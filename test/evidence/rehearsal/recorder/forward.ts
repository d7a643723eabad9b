/** Forwards a request to an emulator unchanged, so that its signature stays valid. */
import { Agent, type IncomingMessage, request as open } from 'node:http';
import { pipeline } from 'node:stream';

const agent = new Agent({ keepAlive: true });

/** Hop-by-hop headers: a proxy must not forward them. */
const HOP_BY_HOP = ['connection', 'expect', 'keep-alive', 'transfer-encoding'];

/** `body` replaces the request's own body, which is streamed otherwise. `gone` aborts the request. */
type Options = { gone: AbortSignal; body?: string };

export function forward(request: IncomingMessage, to: string, { gone, body }: Options): Promise<IncomingMessage> {
  const { hostname, port } = new URL(to);
  const headers = { ...request.headers };
  for (const name of HOP_BY_HOP) delete headers[name];
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  return new Promise((resolve, reject) => {
    const { method, url: path } = request;
    const onward = open({ agent, hostname, port, method, path, headers, signal: gone }, resolve);
    onward.on('error', reject);
    if (body !== undefined) onward.end(body);
    else pipeline(request, onward, (error) => error && reject(error));
  });
}
