/** The protocol of services that take JSON and are told by a header what to do with it. */
import type { Clock } from '../../shared/ports.ts';
import type { Account, ServiceName } from './account.ts';
import { type Asking, asking } from './asking.ts';
import type { Patience } from './exchange.ts';
import { regionHost } from './region-host.ts';
import type { Retrying } from './retry.ts';

/** Where clients get to, and how long they wait there. */
export type Reaching = { account: Account; clock: Clock; patience: Patience; retrying?: Partial<Retrying> };

/** By the names of the operations: what is said and what is answered. */
export type Operations = Record<string, [said: object, answered: object]>;
export type Calls<O extends Operations> = <N extends keyof O & string>(name: N, said: O[N][0]) => Promise<O[N][1]>;

type Protocol = { service: ServiceName; target: string; version: '1.0' | '1.1' };

export function jsonCalls<O extends Operations>({ service, target, version }: Protocol, reaching: Reaching): Calls<O> {
  const { ask } = regional(service, service, reaching);
  return async (name, said) => {
    const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${name}` };
    const { body } = await ask({ method: 'POST', path: '/', headers, body: JSON.stringify(said) });
    return JSON.parse(body || '{}');
  };
}

/** A service where the account has it, or where the region has. */
export const regional = (service: ServiceName, signingName: string, { account, ...reaching }: Reaching): Asking =>
  asking({
    ...reaching,
    account,
    signingName,
    place: (region) =>
      account.endpoint(service) ?? new URL(`https://${regionHost(service, region, account.variant())}`),
  });
