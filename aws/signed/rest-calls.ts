/** The protocol of services whose operations are methods and paths, with JSON in and out. */
import type { Asking } from './asking.ts';

export type Said = { method: string; path: string; query?: Record<string, string>; body?: object };
export type RestCall = <T>(said: Said) => Promise<T>;

export const restCall =
  ({ ask }: Pick<Asking, 'ask'>): RestCall =>
  async ({ body, ...asked }) => {
    const told =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const answered = await ask({ ...asked, ...told });
    return JSON.parse(answered.body || '{}');
  };
