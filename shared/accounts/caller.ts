/** Who calls, and what the caller's role may do. */

export const ROLES = ['viewer', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** `by` names the key or the user in logs and audit rows: `key:<id>` or `user:<id>`. */
export type Caller = { organization: string; role: Role; by: string };

export const mayAct = (caller: Caller, minRole: Role): boolean => ROLES.indexOf(caller.role) >= ROLES.indexOf(minRole);
