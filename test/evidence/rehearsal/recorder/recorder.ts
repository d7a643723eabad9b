/** A proxy between the functions and the emulators that records every call and refuses calls that the role does not allow. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Emulators } from '../../../support/emulators/start.ts';
import { type Listening, listen } from '../listen.ts';
import { exchangeJson, exchangeS3, exchangeSchedule, pass } from './exchange.ts';
import { exchangeConnection, type Reach } from './exchange-connection.ts';
import { forward } from './forward.ts';
import type { Call, Caller, Holding } from './recording.ts';
import { refuse } from './refusal.ts';
import { wireOf } from './wire.ts';

export type Recorder = Listening & {
  calls: Call[];
  /** Keyed by the session token of the caller's credentials. */
  callers: Map<string, Caller>;
  /** Delays every later call by the returned milliseconds before it is forwarded. */
  hold(holding: Holding): void;
};

/** `reach` sends to the open connections of the WebSocket API. */
type Places = Pick<Emulators, 'dynamoUrl' | 's3Url' | 'awsUrl'> & { reach?: Reach };

export async function startRecorder({ dynamoUrl, s3Url, awsUrl, reach = () => 410 }: Places): Promise<Recorder> {
  const callers = new Map<string, Caller>();
  const calls: Call[] = [];
  let holding: Holding = () => 0;

  async function serve(request: IncomingMessage, response: ServerResponse, gone: AbortSignal): Promise<void> {
    const wire = wireOf(request);
    const { service } = wire;
    const caller = callers.get(wire.token ?? '');
    // S3Proxy itself refuses requests with missing or altered credentials.
    if (!caller && service === 's3') return pass(await forward(request, s3Url, { gone }), response);
    if (!caller) return refuse(response, wire, 'nobody', { action: `${service}:*`, resource: '*' });
    const hold = (call: Call) => holding(call);
    const exchange = { request, response, wire, caller, calls, gone, hold };
    if (service === 'execute-api') return exchangeConnection(exchange, reach);
    if (service === 's3') return exchangeS3({ ...exchange, upstream: s3Url });
    if (service === 'scheduler') return exchangeSchedule({ ...exchange, upstream: awsUrl });
    return exchangeJson({ ...exchange, upstream: service === 'dynamodb' ? dynamoUrl : awsUrl });
  }

  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once('close', () => response.writableFinished || gone.abort());
    serve(request, response, gone.signal).catch((error) => {
      // A caller that closed its connection, such as a poller during a long poll, needs no response.
      if (!gone.signal.aborted) console.error('The recorder failed:', error);
      response.destroy();
    });
  });
  const hold = (wished: Holding) => {
    holding = wished;
  };
  return { ...(await listen(server)), callers, calls, hold };
}
