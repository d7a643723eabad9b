/** Routes and APIs are data: the dispatcher, the CDK app and the API documents read the same lists. */
import type * as v from 'valibot';
import type { BaseIssue } from 'valibot';
import type { Caller, Organization, Role } from '../../shared/accounts/organizations.ts';
import type { Log } from '../../shared/core/log.ts';
import type { Problem } from '../../shared/core/problem.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import type { Clock, Ids, Table } from '../../shared/ports.ts';
import type { Notify } from '../../shared/realtime/notifier.ts';
import type { CredentialLimit } from './credentials.ts';
import type { HttpRequestMessage, Origins, Query } from './request.ts';

/** `page` is HTML for people, `text` a body that is written already: JSON, unless the headers name another type. */
export type RouteAnswer = {
  status: number;
  body?: unknown;
  page?: string;
  text?: string;
  headers?: Record<string, string>;
};

type RouteRequest<Body, Who> = {
  caller: Who;
  params: Readonly<Record<string, string>>;
  query: Query;
  body: Body;
  /** Warnings about the body, such as unknown fields. The response carries them in a header as well. */
  warnings: readonly string[];
  /** Where we are reached. */
  hosts: string[];
  /** The id for what a POST makes: the same again when a crashed request is repeated under its idempotency key. */
  id: string;
  /** The request as it came. */
  incoming: HttpRequestMessage;
};

/** Itself, or made for a request: what may stand in a field can depend on where we are reached, and on who asks. */
type RouteSchema<Context, Body> =
  | v.GenericSchema<unknown, Body>
  | ((
      context: Context,
      o: { hosts: string[]; organization?: Organization | undefined },
    ) => v.GenericSchema<unknown, Body>);

type SharedOptions = {
  method: 'GET' | 'POST' | 'DELETE';
  /** Below the face's root, with `:name` for a part that varies. */
  path: `/${string}`;
  about: string;
  /** Replies in addition to the problems that every route may return. */
  replies: Readonly<Record<number, string>>;
  limit?: Limit;
  /** False for a POST that takes no Idempotency-Key. */
  idempotent?: false;
  /** It is called by a form, whose fields it does not read. */
  takesForm?: true;
};

export type Route<Context> = SharedOptions & {
  caller: 'anyone' | Role;
  body?: RouteSchema<Context, unknown>;
  run(request: RouteRequest<unknown, Caller | undefined>, context: Context): Promise<RouteAnswer>;
  replay?: Replay<Context>;
};

/** For a response that holds a signed URL: the URL is not stored but signed again for each repeat. */
type Replay<Context> = {
  /** What is stored of the answer's body. */
  kept(body: unknown): unknown;
  again(kept: unknown, caller: Caller, context: Context): Promise<unknown>;
};

type StatedReplies<Context, Who extends 'anyone' | Role, Body> = SharedOptions & {
  /** The least role that may call. It has no default. */
  caller: Who;
  body?: RouteSchema<Context, Body>;
  run(request: RouteRequest<Body, Who extends 'anyone' ? undefined : Caller>, context: Context): Promise<RouteAnswer>;
  replay?: Replay<Context>;
};

export const route = <Context, Who extends 'anyone' | Role, Body = undefined>(
  stated: StatedReplies<Context, Who, Body>,
): Route<Context> => stated as Route<Context>;

/** What callers know a route as, such as `GET /tasks/{task_id}`. */
type RouteShape = Pick<Route<never>, 'method' | 'path'>;

const BASE = /^\/api\/v1(?=\/)/;

/** Every call that is counted asks for it. */
const known = new WeakMap<RouteShape, string>();

export function callName(route: RouteShape): string {
  const calls = known.get(route) ?? written(route);
  known.set(route, calls);
  return calls;
}

const written = ({ method, path }: RouteShape): string =>
  `${method} ${path.replace(BASE, '').replaceAll(/:(\w+)/g, (_, name: string) => `{${snake(name)}}`)}`;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (character) => `_${character.toLowerCase()}`);

/** What the shell itself needs; a face's context adds what its routes need. */
export type ShellContext = {
  table: Table;
  clock: Clock;
  ids: Ids;
  log: Log;
  origins: Origins;
  /** At most half a minute old, so that it costs no read on most requests. */
  organizationOf(id: string): Promise<Organization | undefined>;
  /** Refuses source addresses that sent too many bad credentials. Default: none is refused. */
  limitCredentials?: CredentialLimit;
  /** Present if the callers of this API can get notices. */
  notify?: Notify;
  /** The face's own documents, by the names they are asked for. */
  contracts?(name: string): Promise<string>;
};

/** What differs between the two APIs: routes, callers, and the shape of errors. */
export type Api<Context extends ShellContext> = {
  name: string;
  routes: readonly Route<Context>[];
  /** Throws when a credential is there and does not hold, or when none is. */
  identify(incoming: HttpRequestMessage, context: Context): Promise<Caller>;
  /** Undefined is our own bug: the caller learns nothing but the request id. */
  render(problem: Problem | undefined, options: RenderOptions): { status: number; body: unknown };
  /** Says in this face's way what is wrong with a body. */
  invalid(issues: readonly BaseIssue<unknown>[]): Problem;
  /** Whether a body that is JSON but no object counts as an empty one. */
  takesAnyJson: boolean;
};

/** `organization`: of the caller, if it is known. */
export type RenderOptions = { requestId: string; at: Date; organization?: Organization | undefined };
