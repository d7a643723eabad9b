/** The protocol of services whose operations are methods and paths, with JSON in and out. */
import type { AwsRequester } from './asking.ts';

export type RestRequest = { method: string; path: string; query?: Record<string, string>; body?: object };
export type RestCall = <T>(said: RestRequest) => Promise<T>;

export const restCall =
  ({ ask }: Pick<AwsRequester, 'ask'>): RestCall =>
  async ({ body, ...asked }) => {
    const told =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answered = await ask({ ...asked, ...told });
    return JSON.parse(answered.body || '{}');
  };
