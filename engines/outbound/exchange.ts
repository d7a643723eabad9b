/** Sends one request over one line and waits for the head of the answer. */
import { type Agent, type ClientRequest, type IncomingMessage, request as open } from 'node:http';
import { failure } from './failure.ts';
import { withTimeout } from './life.ts';
import type { RequestLimits } from './limits.ts';

export type RequestMessage = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body: Uint8Array | string | undefined;
};
export type ResponseHead = { response: IncomingMessage; faultOf(): Error | undefined };

/** Where a message ends and what becomes of its connection is never the caller's; nor are the host and the packing below. */
const CONTROLLED_HEADERS = new Set(['connection', 'content-length', 'transfer-encoding', 'expect', 'upgrade']);

export function sendMessage(
  line: Agent,
  { url, message }: { url: URL; message: RequestMessage },
  { limits, signal }: { limits: RequestLimits; signal: AbortSignal },
): Promise<ResponseHead> {
  return withTimeout({ ms: limits.headersMs, fault: 'headersTime', signal }, async (signal) => {
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
    return waitForHead(request);
  });
}

function headersFor({ host }: URL, { headers }: RequestMessage): Record<string, string> {
  const given = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...Object.fromEntries(given.filter(([name]) => !CONTROLLED_HEADERS.has(name))),
    host,
    'accept-encoding': 'identity',
  };
}

const waitForHead = (request: ClientRequest): Promise<ResponseHead> =>
  new Promise((resolve, reject) => {
    let fault: Error | undefined;
    request.on('error', (error) => {
      fault = error;
    });
    // An error is dear: none is made for a request that was answered.
    const broken = () => reject(failure('broken', fault));
    request.once('close', broken);
    request.once('response', (response) => {
      request.off('close', broken);
      response.on('error', () => undefined); // the reader of the body hears of it by itself
      resolve({ response, faultOf: () => fault });
    });
  });
