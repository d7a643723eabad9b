/** What a rehearsal leaves behind: who was asked what, and what each answer took from AWS. */
import type { Spent } from '../lambda/runtime.ts';
import type { Statement } from '../stack/statements.ts';
import type { Need } from './allows.ts';

/** Lambda would have frozen the function before, or while, it made this call. */
export const BETWEEN_EVENTS = 'between events';
/** Made by whoever holds the address, in the name of the function that signed it; the signature is the request. */
export const SIGNED_ADDRESS = 'signed address';
/** Made by an instance that a test holds by itself. */
export const BY_HAND = 'by hand';

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
  /** Those of them that indexes of the table took. */
  indexUnits: number;
  /** From when to when it was under way: those of one event may overlap. */
  at: number;
  until: number;
  /** In DynamoDB, see rows.ts. */
  rows?: string[];
  /** The need that no statement covers. */
  refused?: Need;
};

/** An event of a function: of an API, a queue or the clock. */
export type Request = { function: string; route: string; id: string; status: number };

/** What an event took from the machine it was worked on. */
export type Invocation = Spent & { function: string; request?: string | undefined };

/** Something played again and again, to see what it costs; `requests` are its own. */
type Scene = { name: string; requests: string[] };

export type Recording = {
  functions: { name: string; memoryMegabytes: number; statements: Statement[] }[];
  requests: Request[];
  invocations: Invocation[];
  scenes: Scene[];
  calls: Call[];
};

/** For how many milliseconds a call waits before it goes on. */
export type Holding = (call: Call) => number;

/** Whoever signs with this token, what it may do, and what it does just now. */
export type Caller = {
  function: string;
  statements: Statement[];
  now(): { route: string; request?: string };
};
