/** Serves an HTTP API on a local port. */
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { type Listening, listen } from '../listen.ts';
import { own } from './answer.ts';
import { answerTo, type Gateway } from './gateway.ts';

/** Limit of the request line and all headers together. */
const MAX_HEADER_BYTES = 10_240;

/** The caller may fill in `gateway` until the first request arrives. */
export async function openFront(gateway: Gateway): Promise<Listening> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES }, async (request, response) => {
    try {
      const { status, headers, body } = await answerTo(gateway, request);
      const length = status === 204 ? {} : { 'content-length': body.byteLength };
      response.writeHead(status, { ...headers, ...length }).end(body);
    } catch (error) {
      console.error('The front failed:', error);
      response.destroy();
    }
  });
  server.on('clientError', refuse);
  return listen(server);
}

/** Answers requests that are not valid HTTP or have too many header bytes. */
function refuse(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const isTooMuch = error.code === 'HPE_HEADER_OVERFLOW';
  const line = isTooMuch ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const { body } = own(Number(line.slice(0, 3)), line.slice(4));
  const head = [`HTTP/1.1 ${line}`, 'content-type: application/json', 'connection: close'];
  socket.end(`${head.join('\r\n')}\r\ncontent-length: ${body.byteLength}\r\n\r\n${body}`);
}
