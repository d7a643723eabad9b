/** Sends one request over one line and waits for the head of the answer. */
import { type Agent, type ClientRequest, type IncomingMessage, request as open } from 'node:http';
import { failed } from './failure.ts';
import { within } from './life.ts';
import type { Limits } from './limits.ts';

export type Message = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body: Uint8Array | string | undefined;
};
export type Exchange = { response: IncomingMessage; faultOf(): Error | undefined };

/** What decides where a request goes, where it ends and how its answer is packed is never the caller's. */
const OURS = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'upgrade',
]);

export function exchange(
  line: Agent,
  { url, message }: { url: URL; message: Message },
  { limits, signal }: { limits: Limits; signal: AbortSignal },
): Promise<Exchange> {
  return within({ ms: limits.headersMs, fault: 'headersTime', signal }, async (signal) => {
    const request = open({
      agent: line,
      method: message.method,
      path: url.pathname + url.search,
      headers: headersFor(url, message),
      setHost: false,
      maxHeaderSize: limits.headerBytes,
    });
    let fault: Error | undefined;
    request.on('error', (error) => {
      fault = error;
    });
    signal.addEventListener('abort', () => request.destroy(signal.reason), { once: true });
    request.end(message.body);
    return { response: await headOf(request), faultOf: () => fault };
  });
}

function headersFor({ host }: URL, { headers, body }: Message): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return {
    ...Object.fromEntries(given.filter(([name]) => !OURS.has(name))),
    ...length,
    host,
    'accept-encoding': 'identity',
  };
}

const headOf = (request: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    request.once('response', (response) => {
      response.on('error', () => undefined); // the reader of the body hears of it by itself
      resolve(response);
    });
    request.once('error', (cause) => reject(failed('broken', cause)));
    request.once('close', () => reject(failed('broken')));
  });
