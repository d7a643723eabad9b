/** Sends one HTTP request over a kept connection and reads its answer within a bound. */
import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent, type RequestOptions, request as tlsRequest } from 'node:https';
import type { Bytes } from '../../../shared/ports.ts';

/** Sends one request to AWS over a connection that is kept, and waits for the head of the answer. */
export type HttpAnswer = IncomingMessage;

export type HttpRequest = {
  url: URL;
  method: string;
  /** Path and query as they were signed: a URL would tidy them. */
  target: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
};

/** `answerMs` is for the head of the answer, and then for each silence within its body. */
export type RequestTimeouts = { connectMs: number; answerMs: number };

type Protocol = { open: (options: RequestOptions) => ClientRequest; agent: PlainAgent };

const KEPT = { keepAlive: true, maxSockets: 50 };
const TLS: Protocol = { open: tlsRequest, agent: new Agent(KEPT) };
/** Servers that stand in for AWS speak without TLS. */
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
    // Stays, for what breaks once the answer has begun: its reader hears of that by itself.
    request.on('error', (error) => {
      settle();
      reject(error);
    });
    request.end(body);
  });
}

/** Breaks off what takes too long; to be called once there is no need to wait any more. */
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

// Reads a response of AWS: whole up to a limit, or as a stream.

/** A batch of DynamoDB holds 16 MB, and JSON may write a byte of it as six. */
const MAX_BYTES = 100 * 1024 * 1024;

/** Breaks off at a silence; not while the reader takes its time. */
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
