/** One S3 of two: S3Proxy holds signed addresses to their word, and moto keeps versions, as the buckets of uploads need them. */
import { createServer } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type Listening, listen } from '../rehearsal/listen.ts';
import { forward } from '../rehearsal/recorder/forward.ts';

/** In the path, because no emulator has a name for each bucket. */
const KEEPS_VERSIONS = /^\/[^/?]*uploads/;

export async function openS3(o: { s3ProxyUrl: string; motoUrl: string }): Promise<Listening> {
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once('close', () => response.writableFinished || gone.abort());
    const to = KEEPS_VERSIONS.test(request.url ?? '') ? o.motoUrl : o.s3ProxyUrl;
    forward(request, to, { gone: gone.signal })
      .then((reply) => {
        response.writeHead(reply.statusCode ?? 500, reply.headers);
        return pipeline(reply, response);
      })
      // Whoever asked finds the connection cut, as if the server behind had cut it.
      .catch(() => response.destroy());
  });
  return listen(server);
}
