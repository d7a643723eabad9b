/** Passes one call through the recorder to an emulator and its response back. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { verifyAddress } from '../../../support/emulators/signed-address.ts';
import { askCapacity, unitsIn, withoutCapacity } from './capacity.ts';
import { forward } from './forward.ts';
import { type Body, jsonOperation } from './json-operation.ts';
import { need, note } from './note.ts';
import type { Call, Caller } from './recording.ts';
import { refuse } from './refusal.ts';
import { rowsIn } from './rows.ts';
import { needsToMiss, s3Operation } from './s3-operation.ts';
import { type Asked, schedulerOperation } from './scheduler-operation.ts';
import type { Wire } from './wire.ts';

export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  wire: Wire;
  caller: Caller;
  calls: Call[];
  hold(call: Call): number;
  upstream: string;
  /** Aborted when the caller closes the connection. */
  gone: AbortSignal;
};

/** Streams request and response bodies. */
export async function exchangeS3(exchange: Exchange): Promise<void> {
  const { request, response, wire, caller, calls } = exchange;
  const call = note(calls, exchange, s3Operation(wire));
  // A presigned URL with an invalid signature was not signed by the function that it names.
  const forget = () => calls.splice(calls.indexOf(call), 1);
  if (call.refused) {
    if (wire.isAddress && !(await verifyAddress(request))) forget();
    return refuse(response, wire, caller.function, call.refused);
  }
  const reply = await forward(request, exchange.upstream, { gone: exchange.gone });
  if (wire.isAddress && reply.statusCode === 403) forget();
  if (reply.statusCode === 404) for (const each of needsToMiss(wire)) need(call, caller, each);
  if (!call.refused) return pass(reply, response);
  reply.resume();
  refuse(response, wire, caller.function, call.refused);
}

export async function exchangeJson(exchange: Exchange): Promise<void> {
  const { request, response, wire, caller, calls, upstream, gone } = exchange;
  const asked = (await json(request)) as Body;
  const call = note(calls, exchange, jsonOperation(wire, asked));
  if (call.refused) return refuse(response, wire, caller.function, call.refused);
  if (wire.service !== 'dynamodb')
    return pass(await forward(request, upstream, { gone, body: JSON.stringify(asked) }), response);

  call.rows = rowsIn(asked);
  const held = exchange.hold(call);
  if (held > 0) await wait(held);
  const reply = await forward(request, upstream, { gone, body: JSON.stringify(askCapacity(asked)) });
  const answer = (await json(reply)) as Body;
  const { table, indexes } = unitsIn(answer, asked);
  call.units = table + indexes;
  call.indexUnits = indexes;
  const { 'x-amz-crc32': _, 'content-length': __, ...headers } = reply.headers;
  response.writeHead(reply.statusCode ?? 500, headers).end(JSON.stringify(withoutCapacity(answer, asked)));
}

export async function exchangeSchedule(exchange: Exchange): Promise<void> {
  const { request, response, wire, caller, calls, upstream, gone } = exchange;
  const body = await text(request);
  const call = note(calls, exchange, schedulerOperation(wire, body === '' ? {} : (JSON.parse(body) as Asked)));
  if (call.refused) return refuse(response, wire, caller.function, call.refused);
  await pass(await forward(request, upstream, { gone, body }), response);
}

export async function pass(reply: IncomingMessage, response: ServerResponse): Promise<void> {
  response.writeHead(reply.statusCode ?? 500, reply.headers);
  await pipeline(reply, response);
}
