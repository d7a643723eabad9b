/** Stands between the functions and the emulators: notes every call, and refuses what the caller's role does not allow. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import type { Emulators } from '../../emulators/start.ts';
import { allows, type Need } from './allows.ts';
import { askCapacity, unasked, unitsIn } from './capacity.ts';
import { forward } from './forward.ts';
import { type Body, jsonOperation } from './json-operation.ts';
import { type Call, type Caller, SIGNED_ADDRESS } from './recording.ts';
import { refuse } from './refusal.ts';
import { needToMiss, type Operation, s3Operation } from './s3-operation.ts';
import { type Wire, wireOf } from './wire.ts';

export type Recorder = {
  url: string;
  calls: Call[];
  /** By the session token of their credentials. */
  callers: Map<string, Caller>;
  stop(): void;
};

type Exchange = { request: IncomingMessage; response: ServerResponse; wire: Wire; caller: Caller };

export async function startRecorder(emulators: Emulators): Promise<Recorder> {
  const callers = new Map<string, Caller>();
  const calls: Call[] = [];
  const upstream = ({ service }: Wire): string =>
    ({ dynamodb: emulators.dynamoUrl, s3: emulators.s3Url })[service] ?? emulators.awsUrl;

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const wire = wireOf(request);
    const caller = callers.get(wire.token ?? '');
    // S3 refuses by itself whoever signs with no credentials, or with altered ones.
    if (!caller && wire.service === 's3') return pass(await forward(request, emulators.s3Url), response);
    if (!caller) return refuse(response, wire, 'nobody', { action: `${wire.service}:*`, resource: '*' });
    const exchange = { request, response, wire, caller };
    await (wire.service === 's3' ? serveS3(exchange) : serveJson(exchange));
  }

  async function serveS3({ request, response, wire, caller }: Exchange): Promise<void> {
    const call = note(wire, caller, s3Operation(wire));
    if (call.refused) return refuse(response, wire, caller.function, call.refused);
    const reply = await forward(request, upstream(wire));
    if (reply.statusCode === 404) need(call, caller, needToMiss(wire));
    if (!call.refused) return pass(reply, response);
    reply.resume();
    refuse(response, wire, caller.function, call.refused);
  }

  async function serveJson({ request, response, wire, caller }: Exchange): Promise<void> {
    const asked = (await json(request)) as Body;
    const call = note(wire, caller, jsonOperation(wire, asked));
    if (call.refused) return refuse(response, wire, caller.function, call.refused);
    if (wire.service !== 'dynamodb') return pass(await forward(request, upstream(wire), JSON.stringify(asked)), response);
    const reply = await forward(request, upstream(wire), JSON.stringify(askCapacity(asked)));
    const answer = (await json(reply)) as Body;
    call.units = unitsIn(answer);
    const { 'x-amz-crc32': _, 'content-length': __, ...headers } = reply.headers;
    response.writeHead(reply.statusCode ?? 500, headers).end(JSON.stringify(unasked(answer, asked)));
  }

  function note(wire: Wire, caller: Caller, operation: Operation | undefined): Call {
    const { name, needs } = operation ?? unknown(wire);
    const at = wire.isAddress ? { route: SIGNED_ADDRESS } : caller.now();
    const call: Call = { function: caller.function, ...at, service: wire.service, operation: name, needs: [], units: 1 };
    for (const each of needs) need(call, caller, each);
    calls.push(call);
    return call;
  }

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error('The recorder failed:', error);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, callers, calls, stop };
}

function need(call: Call, caller: Caller, wanted: Need): void {
  call.needs.push(wanted);
  if (!allows(caller.statements, wanted)) call.refused ??= wanted;
}

/** What the recorder cannot name, no role allows: teach it the operation first. */
const unknown = ({ method, path, service }: Wire): Operation => ({
  name: `${method} ${path}`,
  needs: [{ action: `${service}:unknown to the rehearsal`, resource: '*' }],
});

async function pass(reply: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(reply.statusCode ?? 500, reply.headers);
  await pipeline(reply, response);
}
