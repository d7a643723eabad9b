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

/** Where a message ends and what becomes of its connection is never the caller's; nor are the host and the packing below. */
const OURS = new Set(['connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade']);

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
    signal.addEventListener('abort', () => request.destroy(signal.reason), { once: true });
    request.end(message.body);
    return headOf(request);
  });
}

function headersFor({ host }: URL, { headers }: Message): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return { ...Object.fromEntries(given.filter(([name]) => !OURS.has(name))), host, 'accept-encoding': 'identity' };
}

const headOf = (request: ClientRequest): Promise<Exchange> =>
  new Promise((resolve, reject) => {
    let fault: Error | undefined;
    request.on('error', (error) => {
      fault = error;
    });
    // An error is dear: none is made for a request that was answered.
    const broken = () => reject(failed('broken', fault));
    request.once('close', broken);
    request.once('response', (response) => {
      request.off('close', broken);
      response.on('error', () => undefined); // the reader of the body hears of it by itself
      resolve({ response, faultOf: () => fault });
    });
  });
