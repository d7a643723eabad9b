/** Creates organizations with an API key, an admin and a webhook secret, and erases organizations. */

import { isKey, READINGS } from '../core/blobs.ts';
import { isUuid, secretText } from '../core/ids.ts';
import { Problem } from '../core/problem.ts';
import type { Vault } from '../core/vault.ts';
import { blobKeyOf, type File } from '../files/file.ts';
import { mailsSentIn } from '../mail/mail.ts';
import type { Blobs, Clock, Everything, Ids, Key, Passwords, Sockets, Stored, Table } from '../ports.ts';
import { CONNECTION, parseConnectionKey } from '../realtime/connections.ts';
import { readLong, storedText } from '../tasks/rows.ts';
import { apiKeyById, createKey, keyIdIn, lastUseKey, makeKeyText } from './api-keys.ts';
import {
  displayName,
  listOrganizations,
  type Organization,
  organizationById,
  organizationDraft,
} from './organizations.ts';
import { checkModels } from './providers.ts';
import { connectionNames } from './stored-connections.ts';
import { createUser, userByName } from './users.ts';
import { keepFirstSecret, makeWebhookSecret } from './webhook-secrets.ts';

/** Creates an organization and its webhook secret, which is shown only once. */
type CreateOrganizationPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault };
/** `id` and `webhookSecret`: values that were generated before. */
type NewOrganization = { name: string; models: readonly string[]; id?: string; webhookSecret?: string };

export async function createOrganization(
  ports: CreateOrganizationPorts,
  { name, models, id = ports.ids.uuid(), webhookSecret = makeWebhookSecret(ports.ids) }: NewOrganization,
): Promise<{ organization: Organization; webhookSecret: string }> {
  const organization: Organization = {
    id,
    name: displayName(name),
    createdAt: ports.clock.now(),
    models: checkModels(models, await connectionNames(ports.table, id)),
    limits: {},
  };
  // The secret is written first, so that an organization that can be found always has one.
  await keepFirstSecret(ports, id, webhookSecret);
  if (!(await ports.table.insert(organizationDraft(organization)))) throw new Error('An id was generated twice.');
  return { organization, webhookSecret };
}

// Creates an organization with an API key, an admin and a webhook secret, each shown once.

/** Exactly the fields of an organization in `local.json`. */
export type ProvisionedOrganization = {
  id: string;
  name: string;
  apiKey: string;
  username: string;
  password: string;
  webhookSecret: string;
  models: string[];
};

type ProvisionPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault; passwords: Passwords };

const MAX_SLUG = 40;

type OrganizationPlan = { name: string; models: readonly string[] };

export async function provisionOrganization(
  ports: ProvisionPorts,
  wanted: OrganizationPlan,
): Promise<ProvisionedOrganization> {
  const planned = await planOrganization(ports, wanted);
  await provisionPlanned(ports, planned);
  return planned;
}

/** Generates all values of an organization without writing any. */
async function planOrganization(
  { table, ids }: ProvisionPorts,
  { name: typed, models }: OrganizationPlan,
): Promise<ProvisionedOrganization> {
  const name = displayName(typed);
  return {
    id: ids.uuid(),
    name,
    apiKey: makeKeyText(ids).text,
    username: await freeName({ table, ids }, name),
    password: makePassword(ids),
    webhookSecret: makeWebhookSecret(ids),
    models: checkModels(models, await connectionNames(table, undefined)),
  };
}

/** Idempotent: after an interruption it can run again, and existing rows stay unchanged. */
async function provisionPlanned(ports: ProvisionPorts, planned: ProvisionedOrganization): Promise<void> {
  const { table } = ports;
  const { id: organization, apiKey: text, username, password } = planned;
  const keyId = keyIdIn(text) ?? '';
  if (!(await organizationById(table, organization))) await createOrganization(ports, planned);
  if (!(await apiKeyById(table, keyId))) {
    await createKey(ports, { organization, name: 'first key', made: { id: keyId, text } });
  }
  if ((await userByName(table, username))?.organization !== organization) {
    await createUser(ports, { organization, name: username, role: 'admin', password });
  }
}

/** 128 random bits as text that needs no quoting. */
export const makePassword = (ids: Ids): string => secretText(ids, 16);

async function freeName({ table, ids }: Pick<ProvisionPorts, 'table' | 'ids'>, organization: string): Promise<string> {
  const words = organization
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? ['organization'];
  const slug = Array.from(words.join('-')).slice(0, MAX_SLUG).join('').replace(/-$/, '');
  const name = `admin@${slug}`;
  return (await userByName(table, name)) ? `${name}-${secretText(ids, 4).toLowerCase()}` : name;
}

/** The two organizations of a fresh local installation. The caller stores the clear texts. */
type SeedPorts = { table: Table; clock: Clock; ids: Ids; vault: Vault; passwords: Passwords };

/** Generates their values, to be stored before they are created, so that an interrupted seeding can be resumed. */
export async function planDemo(ports: SeedPorts, models: readonly string[]): Promise<ProvisionedOrganization[]> {
  const taken = new Set((await listOrganizations(ports.table)).map(({ name }) => name));
  // If the file is missing, a second demo is planned beside the organizations of the first.
  const names = ['Demo One', 'Demo Two'].map((name) => unusedName(name, taken));
  return Promise.all(names.map((name) => planOrganization(ports, { name, models })));
}

function unusedName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  for (let number = 2; ; number++) if (!taken.has(`${name} ${number}`)) return `${name} ${number}`;
}

export async function seedDemo(ports: SeedPorts, planned: ProvisionedOrganization[]): Promise<void> {
  for (const organization of planned) await provisionPlanned(ports, organization);
}

type ErasePorts = {
  table: Table;
  blobs: Pick<Blobs, 'remove'>;
  everything: Everything;
  sockets: Pick<Sockets, 'close'>;
};
type Erased = { rows: number; blobs: number; rowsLeft: number; blobsLeft: number };

const MAX_ROUNDS = 5;
const AT_ONCE = 100;
/** Folders of blobs that rows may name; the organization's id follows. */
const BLOB_FOLDERS = ['files/', 'results/', READINGS];

/** Erases in rounds, because callers and workers may still write for a moment; returns what is left in the end. */
export async function eraseOrganization(ports: ErasePorts, organization: string): Promise<Erased> {
  if (!isUuid(organization)) throw new Problem('invalid', 'An organization is erased by its id.');
  let [rows, blobs] = [0, 0];
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const found = await rowsOfOrganization(ports, organization);
    if (found.rows.length === 0 && found.blobs.length === 0) {
      await ports.everything.forget();
      return { rows, blobs, rowsLeft: 0, blobsLeft: 0 };
    }
    // Blobs and mails go before their rows: after an interruption, the next round finds them by the rows.
    for (const key of found.blobs) await ports.blobs.remove(key);
    await ports.everything.removeMails(found.mails);
    // Connections are closed before their rows are removed, so that the next round finds them after an interruption.
    const connections = found.rows.filter(({ sk }) => sk === CONNECTION).map(parseConnectionKey);
    await Promise.all(connections.map((connection) => ports.sockets.close(connection)));
    for (const some of splitKeys(found.rows)) await ports.everything.removeRows(some);
    rows += found.rows.length;
    blobs += found.blobs.length;
  }
  const left = await rowsOfOrganization(ports, organization);
  return { rows, blobs, rowsLeft: left.rows.length, blobsLeft: left.blobs.length };
}

async function rowsOfOrganization(
  { table, everything }: ErasePorts,
  organization: string,
): Promise<{ rows: Key[]; blobs: string[]; mails: string[] }> {
  const [first, rest, named, mails]: [Key[], Key[], string[], string[]] = [[], [], [], []];
  for await (const row of storedRowsOf(everything, organization)) {
    const { pk, sk } = row;
    // These rows are removed first, so that no caller can sign in during the rest.
    (ENTRANCES.has(sk) ? first : rest).push({ pk, sk });
    if (sk === 'KEY') rest.push(lastUseKey(pk.slice('K#'.length)));
    named.push(...(await blobsNamedBy(table, organization, row)));
    mails.push(...mailsSentIn(row));
  }
  const folders = BLOB_FOLDERS.map((folder) => `${folder}${organization}/`);
  const found = await everything.blobsIn(folders, [...new Set(named)]);
  const blobs = new Set([...found, ...(await everything.uploadsOf(organization))]);
  return { rows: [...first, ...rest], blobs: [...blobs], mails };
}

const ENTRANCES: ReadonlySet<string> = new Set(['ORGANIZATION', 'KEY', 'USER']);

/** Every row of an organization, including expired ones, for its erasure and its export. */
export async function* storedRowsOf(everything: Everything, organization: string): AsyncIterable<Stored> {
  const isOf = isRowOf(organization);
  for await (const row of everything.rowsAbout(organization)) if (isOf(row)) yield row;
}

/** By its partition, or by its field `organization`: users, keys, audit rows. */
export const isRowOf =
  (organization: string) =>
  ({ pk, value }: Pick<Stored, 'pk' | 'value'>): boolean =>
    pk === `O#${organization}` ||
    pk.startsWith(`O#${organization}#`) ||
    (value as { organization?: unknown } | null)?.organization === organization;

/** The names of all of the organization's blobs that the row contains in any field: reports, archives, checkpoints. */
async function blobsNamedBy(table: Table, organization: string, { pk, sk, value }: Stored): Promise<string[]> {
  if (sk === 'FILE') return [blobKeyOf(value as File)];
  const [, name] = /^(.+)#00$/.exec(sk) ?? [];
  const whole = name === undefined ? undefined : await readLong(table, { pk, name });
  return blobNamesIn(organization, whole ?? value);
}

/** The names of the organization's blobs in any field. A caller's text may look like one, also longer than any key. */
export function blobNamesIn(organization: string, value: unknown): string[] {
  const names = new RegExp(`(?:${BLOB_FOLDERS.join('|')})${organization}/[^"\\\\\\s]+`, 'g');
  return (storedText(value).match(names) ?? []).filter(isKey);
}

const splitKeys = (keys: Key[]): Key[][] =>
  Array.from({ length: Math.ceil(keys.length / AT_ONCE) }, (_, part) =>
    keys.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
