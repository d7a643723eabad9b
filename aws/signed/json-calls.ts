/** The protocol of services that take JSON and are told by a header what to do with it. */
import type { Clock } from '../../shared/ports.ts';
import type { Account, ServiceName } from './account.ts';
import { type AwsRequester, awsRequester } from './asking.ts';
import type { RequestTimeouts } from './exchange.ts';
import { regionHost } from './region-host.ts';
import type { RetryOptions } from './retry.ts';

/** Where clients get to, and how long they wait there. */
export type AwsConnection = {
  account: Account;
  clock: Clock;
  patience: RequestTimeouts;
  retrying?: Partial<RetryOptions>;
};

/** By the names of the operations: what is said and what is answered. */
export type JsonOperations = Record<string, [said: object, answered: object]>;
export type Calls<O extends JsonOperations> = <N extends keyof O & string>(name: N, said: O[N][0]) => Promise<O[N][1]>;

type Protocol = { service: ServiceName; target: string; version: '1.0' | '1.1' };

export function jsonCalls<O extends JsonOperations>(
  { service, target, version }: Protocol,
  reaching: AwsConnection,
): Calls<O> {
  const { ask } = regional(service, service, reaching);
  return async (name, said) => {
    const headers = { 'content-type': `application/x-amz-json-${version}`, 'x-amz-target': `${target}.${name}` };
    const { body } = await ask({ method: 'POST', path: '/', headers, body: JSON.stringify(said) });
    return JSON.parse(body || '{}');
  };
}

/** A service where the account has it, or where the region has. */
export const regional = (
  service: ServiceName,
  signingName: string,
  { account, ...reaching }: AwsConnection,
): AwsRequester =>
  awsRequester({
    ...reaching,
    account,
    signingName,
    place: (region) =>
      account.endpoint(service) ?? new URL(`https://${regionHost(service, region, account.variant())}`),
  });
