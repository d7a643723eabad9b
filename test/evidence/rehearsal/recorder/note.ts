/** Records a call and checks it against the role of its caller. */
import type { ServerResponse } from 'node:http';
import { allows, type Need } from './allows.ts';
import { type Call, type Caller, SIGNED_ADDRESS } from './recording.ts';
import type { Operation } from './s3-operation.ts';
import type { Wire } from './wire.ts';

type Noted = { wire: Wire; caller: Caller; response: ServerResponse };

export function note(calls: Call[], { wire, caller, response }: Noted, operation?: Operation): Call {
  const { name, needs } = operation ?? unknown(wire);
  const at = wire.isAddress ? { route: SIGNED_ADDRESS, request: signatureOf(wire) } : caller.now();
  const what = { service: wire.service, operation: name, needs: [], units: 1, indexUnits: 0 };
  const now = Date.now();
  const call: Call = { function: caller.function, ...at, ...what, at: now, until: now };
  response.once('close', () => {
    call.until = Date.now();
  });
  for (const each of needs) need(call, caller, each);
  calls.push(call);
  return call;
}

const signatureOf = ({ query }: Wire): string => query.get('X-Amz-Signature') ?? '';

export function need(call: Call, { statements }: Caller, wanted: Need): void {
  call.needs.push(wanted);
  if (!allows(statements, wanted)) call.refused ??= wanted;
}

/** No role allows an operation that the recorder does not know: add the operation to the recorder first. */
const unknown = ({ method, path, service }: Wire): Operation => ({
  name: `${method} ${path}`,
  needs: [{ action: `${service}:unknown to the rehearsal`, resource: '*' }],
});
