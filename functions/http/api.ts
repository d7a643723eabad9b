import type { BaseIssue } from 'valibot';
import type { Caller } from '../../shared/accounts/caller.ts';
import type { Organization } from '../../shared/accounts/organizations.ts';
import type { Log } from '../../shared/core/log.ts';
import type { Problem } from '../../shared/core/problem.ts';
import type { Clock, Ids, Table } from '../../shared/ports.ts';
import type { Notify } from '../../shared/realtime/notifier.ts';
import type { CredentialLimit } from './credentials.ts';
// What tells one of the two APIs from the other: its routes, its callers, the shape of its errors.

import type { HttpRequestMessage, Origins } from './request.ts';
import type { Route } from './route.ts';

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
