/** The recording of a rehearsal: which function made which calls, and what each event cost. */
import type { Spent } from '../lambda/runtime.ts';
import type { Statement } from '../stack/statements.ts';
import type { Need } from './allows.ts';

/** Route of a call that was made while Lambda would have frozen the function. */
export const BETWEEN_EVENTS = 'between events';
/** Route of a call by the holder of a presigned URL, attributed to the function that signed it; the signature is the request id. */
export const SIGNED_ADDRESS = 'signed address';
/** Route of a call by an instance that a test started itself. */
export const BY_HAND = 'by hand';

export type Call = {
  function: string;
  /** The key of an API's route, a queue, or one of the constants above. */
  route: string;
  request?: string | undefined;
  service: string;
  operation: string;
  needs: Need[];
  /** Capacity units in DynamoDB, requests in other services. */
  units: number;
  /** The part of `units` that the table's indexes consumed. */
  indexUnits: number;
  /** Start and end of the call; calls of one event may overlap. */
  at: number;
  until: number;
  /** Only for DynamoDB, see rows.ts. */
  rows?: string[];
  /** The need that no statement covers. */
  refused?: Need;
};

/** One event of a function: from an API, a queue or a schedule. */
export type Request = { function: string; route: string; id: string; status: number };

/** CPU time and log output of one event. */
export type Invocation = Spent & { function: string; request?: string | undefined };

/** A flow that is repeated to measure its cost; `requests` are the ids of its requests. */
type Scene = { name: string; requests: string[] };

export type Recording = {
  functions: { name: string; memoryMegabytes: number; statements: Statement[] }[];
  requests: Request[];
  invocations: Invocation[];
  scenes: Scene[];
  calls: Call[];
};

/** Returns how many milliseconds a call waits before it is forwarded. */
export type Holding = (call: Call) => number;

/** The owner of a session token: its function, its role, and the request that it works on now. */
export type Caller = {
  function: string;
  statements: Statement[];
  now(): { route: string; request?: string };
};
