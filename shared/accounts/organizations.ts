/** Organizations, the callers that act for them, and their limits. */
import { loadingCache } from '../core/cache.ts';
import { isUuid } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import { changeRow, listedRows } from '../core/table-access.ts';
import type { Cap, Limit } from '../limits/rate-limit.ts';
import type { Clock, Draft, Key, Table } from '../ports.ts';
import { checkModels } from './providers.ts';
import { connectionNames } from './stored-connections.ts';

export const ROLES = ['viewer', 'member', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** `by` names the key or the user in logs and audit rows: `key:<id>` or `user:<id>`. */
export type Caller = { organization: string; role: Role; by: string };

export const mayAct = (caller: Caller, minRole: Role): boolean => ROLES.indexOf(caller.role) >= ROLES.indexOf(minRole);

/** `minute` and `hour` override a rate limit, `most` a cap. */
export type LimitOverride = { minute?: number; hour?: number; most?: number };

export const MODEL_ROLES = ['strong', 'cheap', 'verify', 'standby'] as const;
type ModelRole = (typeof MODEL_ROLES)[number];

export type Organization = {
  id: string;
  name: string;
  createdAt: number;
  /** The first is the default. */
  models: string[];
  /** The models for demanding work, for short work, for the second look, and the one that answers while another is away for long. */
  roles?: Partial<Record<ModelRole, string>>;
  /** Overrides of the product's limits, by the limit's name. */
  limits: Record<string, LimitOverride>;
  /** The names of the organization's own sources; their settings are in rows of their own. */
  sources?: string[];
  /** `false`: the texts of sources that researches cite are not stored. */
  snapshots?: boolean;
};

const LIST = 'ORGANIZATIONS';
const MAX_ENTRIES = 10_000;

const organizationKey = (id: string): Key => ({ pk: `O#${id}`, sk: 'ORGANIZATION' });

export const organizationDraft = (value: Organization): Draft<Organization> => ({
  ...organizationKey(value.id),
  value,
  listed: { list: LIST, at: value.createdAt, id: value.id, state: 'active', type: 'organization', priority: 0 },
});

export async function organizationById(table: Table, id: string): Promise<Organization | undefined> {
  return isUuid(id) ? (await table.get<Organization>(organizationKey(id)))?.value : undefined;
}

/** Reads organizations for requests through a cache; a result may be as old as its TTL. */
export const organizationReader = ({
  table,
  clock,
  keptMs = 30_000,
}: {
  table: Table;
  clock: Clock;
  keptMs?: number;
}) => loadingCache({ clock, ttlMs: keptMs, max: MAX_ENTRIES, load: (id) => organizationById(table, id) }).get;

export const listOrganizations = (table: Table): Promise<Organization[]> =>
  listedRows(table, LIST, { keyOf: organizationKey });

export const UNFINISHED_TASKS: Cap = { name: 'unfinished-tasks', most: 1_000 };
/** WebSocket connections open at the same time. */
export const SOCKETS: Cap = { name: 'sockets', most: 5 };
/** For tasks that name no budget. */
export const TASK_TOKENS: Cap = { name: 'task-tokens', most: Number.POSITIVE_INFINITY };
/** Per UTC month. */
export const MONTHLY_TOKENS: Cap = { name: 'monthly-tokens', most: Number.POSITIVE_INFINITY };
export const MONTHLY_USD: Cap = { name: 'monthly-usd', most: Number.POSITIVE_INFINITY };
/** Every cap of an organization. The constants stand alone so that a bundle holds only those it uses. */
export const CAPS: readonly Cap[] = [UNFINISHED_TASKS, SOCKETS, TASK_TOKENS, MONTHLY_TOKENS, MONTHLY_USD];

/** The operator's override of a limit, or the product's default. */
export function limitOf<L extends Limit | Cap>({ limits }: Organization, limit: L): L {
  const own = limits[limit.name];
  return own ? { ...limit, ...own } : limit;
}

/** The largest rate limit. */
const MAX_CALLS = 1_000_000;
/** The largest cap: budgets count the tokens of a month. */
const MAX_MOST = 1_000_000_000_000;

/** Returns `undefined` if the organization does not exist. */
const changeOrganization = (table: Table, id: string, change: (organization: Organization) => Organization) =>
  changeRow(table, organizationKey(id), { draft: organizationDraft, change });

export async function setModels(table: Table, id: string, models: readonly string[]) {
  const checked = checkModels(models, await connectionNames(table, id));
  return changeOrganization(table, id, (organization) => ({ ...organization, models: checked }));
}

/** Returns `undefined` if no model is set, or if the organization does not have it any more. */
export function modelInRole({ models, roles = {} }: Organization, role: ModelRole): string | undefined {
  const model = roles[role];
  return model !== undefined && models.includes(model) ? model : undefined;
}

export const setModelRole = (table: Table, id: string, role: ModelRole, model: string) =>
  changeOrganization(table, id, (organization) => {
    if (!organization.models.includes(model)) {
      throw new Problem('invalid', `${model.slice(0, 80)} is not one of its models: set them with "org models" first.`);
    }
    return { ...organization, roles: { ...organization.roles, [role]: model } };
  });

export const setSources = (table: Table, id: string, change: (names: readonly string[]) => string[]) =>
  changeOrganization(table, id, (organization) => ({ ...organization, sources: change(organization.sources ?? []) }));

/** Applies to tasks submitted from now on. */
export const setSnapshots = (table: Table, id: string, snapshots: boolean) =>
  changeOrganization(table, id, (organization) => ({ ...organization, snapshots }));

/** Fields that the override omits keep their values. */
export async function overrideLimit(
  table: Table,
  id: string,
  { limit, ...override }: { limit: string } & LimitOverride,
) {
  // 0 is refused because an hour of 0 would read as an hour without limit.
  const { most, ...calls } = override;
  checkLimit(Object.values(calls), MAX_CALLS);
  if (most !== undefined) checkLimit([most], MAX_MOST);
  return changeOrganization(table, id, (organization) => ({
    ...organization,
    limits: { ...organization.limits, [limit]: { ...organization.limits[limit], ...override } },
  }));
}

function checkLimit(values: readonly number[], max: number): void {
  if (values.every((value) => Number.isInteger(value) && value >= 1 && value <= max)) return;
  throw new Problem('invalid', `A limit is a whole number from 1 to ${max}.`);
}

export const clearLimit = (table: Table, id: string, limit: string) =>
  changeOrganization(table, id, (organization) => {
    const { [limit]: _cleared, ...limits } = organization.limits;
    return { ...organization, limits };
  });

/** Names of organizations and keys. */
const MAX_CHARACTERS = 100;
/** Characters that break a line or change the direction of the surrounding text. */
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

export function displayName(text: string): string {
  const name = text.normalize('NFC').trim();
  if (Array.from(name).length <= MAX_CHARACTERS && VISIBLE.test(name) && !UNFIT.test(name)) return name;
  throw new Problem('invalid', `A name has 1 to ${MAX_CHARACTERS} characters, none of them a control character.`);
}
