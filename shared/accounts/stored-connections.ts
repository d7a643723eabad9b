/** The connections to models that the operator stored by name: for every organization, or for one alone. */
import { loadingCache } from '../core/cache.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import { putRow } from '../core/table-access.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Key, Table } from '../ports.ts';
import {
  type ConnectionOf,
  ENVIRONMENT_CONNECTIONS,
  type EnvironmentConnections,
  type ModelConnection,
  type ModelProvider,
  originOf,
} from './model-connections.ts';

/** `model`: the model that was tested when the connection was added. */
export type StoredConnection = {
  name: string;
  provider: ModelProvider;
  url?: string;
  sealedKey?: string;
  model: string;
  since: number;
};

/** The id of an organization, or `undefined` for the connections of the operator, which every organization may use. */
type Owner = string | undefined;

const OPERATOR = 'MODELS';
const PREFIX = 'MODEL#';
const MAX_CONNECTIONS = 100;

const partitionOf = (owner: Owner): string => (owner === undefined ? OPERATOR : `O#${owner}`);
const keyOf = (owner: Owner, name: string): Key => ({ pk: partitionOf(owner), sk: `${PREFIX}${name}` });

/** Part of the seal: a key that was entered for one owner and origin cannot be opened for another. */
const contextOf = (owner: Owner, connection: Pick<ModelConnection, 'provider' | 'url'>): string =>
  `model ${owner ?? OPERATOR} ${originOf(connection)}`;

const NAME_RULE = 'A name has 1 to 40 characters of a-z, 0-9 and -, begins with a letter, and is not "offline"';
const NAME = /^(?!offline$)[a-z][a-z0-9-]{0,39}$/;
const isConnectionName = (name: string): boolean => NAME.test(name);

export function checkConnectionName(name: string): void {
  if (!isConnectionName(name)) throw new Problem('invalid', `${NAME_RULE}.`);
}

const KEY = /^[!-~]{1,4000}$/;

export function checkModelKey(key: string): void {
  if (!KEY.test(key)) throw new Problem('invalid', 'A key has 1 to 4000 visible ASCII characters, in one line.');
}

type StorePorts = { table: Table; clock: Clock; vault: Vault };

export async function storeConnection(
  { table, clock, vault }: StorePorts,
  owner: Owner,
  { name, model, connection }: { name: string; model: string; connection: ModelConnection },
): Promise<StoredConnection> {
  checkConnectionName(name);
  const { provider, url, key } = connection;
  if (key !== undefined) checkModelKey(key);
  const sealedKey = key === undefined ? undefined : await vault.seal(key, contextOf(owner, connection));
  const value = { name, provider, model, since: clock.now(), ...definedFields({ url, sealedKey }) };
  await putRow<StoredConnection>(table, { ...keyOf(owner, name), value });
  return value;
}

export const storedConnection = async (
  table: Table,
  owner: Owner,
  name: string,
): Promise<StoredConnection | undefined> => (await table.get<StoredConnection>(keyOf(owner, name)))?.value;

export async function storedConnections(table: Table, owner: Owner): Promise<StoredConnection[]> {
  const { rows } = await table.rows<StoredConnection>(partitionOf(owner), PREFIX, { limit: MAX_CONNECTIONS });
  return rows.map(({ value }) => value);
}

/**
 * The names that the models of an organization may begin with: its own, the operator's, and those that an environment
 * can set. A connection of another organization is unknown.
 */
export async function connectionNames(table: Table, organization: Owner): Promise<string[]> {
  const stored = await storedConnections(table, undefined);
  if (organization !== undefined) stored.push(...(await storedConnections(table, organization)));
  return [...new Set([...ENVIRONMENT_CONNECTIONS, ...stored.map(({ name }) => name)])];
}

/** Returns whether there was one. */
export async function removeModelConnection(table: Table, owner: Owner, name: string): Promise<boolean> {
  const row = await table.get<StoredConnection>(keyOf(owner, name));
  if (!row) return false;
  if (await table.remove(row)) return true;
  throw new Problem('busy', 'The connection is being changed by another command; try again.');
}

/** The key is opened here only, for the call that needs it. */
export async function openConnection(
  vault: Vault,
  owner: Owner,
  { provider, url, sealedKey, since }: StoredConnection,
): Promise<ModelConnection> {
  const connection = { provider, since, ...definedFields({ url, owner }) };
  if (sealedKey === undefined) return connection;
  return { ...connection, key: await vault.open(sealedKey, contextOf(owner, connection)) };
}

type LookupPorts = {
  table: Table;
  vault: Vault;
  clock: Clock;
  environment: EnvironmentConnections;
  /** How long a connection that was removed may still be used. */
  keptMs?: number;
};

const CACHE_MS = 30_000;
const MAX_ENTRIES = 10_000;

type Lookup = { owner: Owner; stored: StoredConnection };

/**
 * Finds the organization's own connection of a name, else the operator's, else the environment's. The cached rows are
 * kept by organization, and their keys stay sealed.
 */
export function modelConnections({ table, vault, clock, environment, keptMs = CACHE_MS }: LookupPorts): ConnectionOf {
  const rows = loadingCache<Lookup>({
    clock,
    ttlMs: keptMs,
    max: MAX_ENTRIES,
    async load(id) {
      const [organization = '', name = ''] = id.split(' ');
      for (const owner of [organization, undefined]) {
        const stored = await storedConnection(table, owner, name);
        if (stored) return { owner, stored };
      }
      return undefined;
    },
  });
  return async (name, organization) => {
    // Names that cannot be stored are not looked up.
    const row = isConnectionName(name) ? await rows.get(`${organization} ${name}`) : undefined;
    return row ? openConnection(vault, row.owner, row.stored) : environment.get(name)?.();
  };
}
