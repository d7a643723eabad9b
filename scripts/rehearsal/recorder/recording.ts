/** What a rehearsal leaves behind: who was asked what, and what each answer took from AWS. */
import type { Statement } from '../stack/statements.ts';
import type { Need } from './allows.ts';

/** Lambda would have frozen the function before, or while, it made this call. */
export const BETWEEN_EVENTS = 'between events';
/** Made by whoever holds the address, in the name of the function that signed it. */
export const SIGNED_ADDRESS = 'signed address';

export type Call = {
  function: string;
  /** The key of an API's route, a queue, or one of the names above. */
  route: string;
  request?: string | undefined;
  service: string;
  operation: string;
  needs: Need[];
  /** Capacity units of DynamoDB, elsewhere requests. */
  units: number;
  /** The need that no statement covers. */
  refused?: Need;
};

export type Request = { function: string; route: string; id: string; status: number };

export type Recording = {
  functions: { name: string; statements: Statement[] }[];
  requests: Request[];
  calls: Call[];
};

/** Whoever signs with this token, what it may do, and what it does just now. */
export type Caller = {
  function: string;
  statements: Statement[];
  now(): { route: string; request?: string };
};
