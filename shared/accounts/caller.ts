/** Who calls, and what the caller's role may do. */

export const ROLES = ['viewer', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** `by` names the key or the user in logs and audit rows: `key:<id>` or `user:<id>`. */
export type Caller = { organization: string; role: Role; by: string };

export const mayAct = (caller: Caller, minRole: Role): boolean => ROLES.indexOf(caller.role) >= ROLES.indexOf(minRole);

/** How long a process relies on a user or a key that it has read. After this time it notices a change at the latest. */
export const MAX_CACHE_MS = 30_000;
