/** Sends one HTTP request over a keep-alive connection and reads its response within limits of size and time. */
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, type RequestOptions, request as tlsRequest } from 'node:https';
import type { Bytes } from '../../../shared/ports.ts';

export type HttpAnswer = IncomingMessage;

export type HttpRequest = {
  url: URL;
  method: string;
  /** Path and query exactly as they were signed: the URL class would normalize them. */
  target: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
};

/** `answerMs`: the timeout for the head of the response, and then for each pause in its body. */
export type RequestTimeouts = { connectMs: number; answerMs: number };

type Protocol = { open: (options: RequestOptions) => ClientRequest; agent: PlainAgent };

const KEPT = { keepAlive: true, maxSockets: 50 };
const TLS: Protocol = { open: tlsRequest, agent: new Agent(KEPT) };
/** For emulators of AWS, which do not use TLS. */
const PLAIN: Protocol = { open: plainRequest, agent: new PlainAgent(KEPT) };

const tooLate = (what: string): Error =>
  Object.assign(new Error(`AWS did not ${what} in time.`), { name: 'TimeoutError' });

export function sendHttp(
  { url, method, target, headers, body }: HttpRequest,
  patience: RequestTimeouts,
): Promise<HttpAnswer> {
  const { open, agent } = url.protocol === 'http:' ? PLAIN : TLS;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const request = open({ agent, host, port: url.port, method, path: target, headers });
  return new Promise<HttpAnswer>((resolve, reject) => {
    const settle = limited(request, patience);
    request.once('response', (response) => {
      settle();
      resolve(response);
    });
    // Stays attached for errors after the response has begun; its reader gets them by itself.
    request.on('error', (error) => {
      settle();
      reject(error);
    });
    request.end(body);
  });
}

/** Destroys the request after a timeout. Returns a function that stops the timers. */
function limited(request: ClientRequest, { connectMs, answerMs }: RequestTimeouts): () => void {
  let connecting: NodeJS.Timeout | undefined;
  const answering = setTimeout(() => request.destroy(tooLate('answer')), answerMs);
  request.once('socket', (socket) => {
    if (!socket.connecting) return;
    connecting = setTimeout(() => request.destroy(tooLate('take the connection')), connectMs);
    socket.once('connect', () => clearTimeout(connecting));
  });
  return () => {
    clearTimeout(answering);
    clearTimeout(connecting);
  };
}

// Reads a response of AWS: as a whole up to a limit, or as a stream.

/** A batch of DynamoDB holds 16 MB, and JSON may escape each byte as six. */
const MAX_BYTES = 100 * 1024 * 1024;

/** Destroys the response when no chunk arrives for `silenceMs`; the time that the reader takes does not count. */
export async function* flowing(answer: HttpAnswer, silenceMs: number): Bytes {
  const listen = () => setTimeout(() => answer.destroy(tooLate('go on')), silenceMs);
  let silence = listen();
  try {
    for await (const chunk of answer) {
      clearTimeout(silence);
      yield chunk;
      silence = listen();
    }
  } finally {
    clearTimeout(silence);
  }
}

export async function whole(answer: HttpAnswer, silenceMs: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of flowing(answer, silenceMs)) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`AWS answered more than ${MAX_BYTES} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
