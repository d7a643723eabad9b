/** The demo organizations of one machine and their credentials, which `demo.json` keeps. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalContext } from '../../adapters/local/context.ts';
import { keyIdIn } from '../../shared/accounts/api-key-text.ts';
import { apiKeyById } from '../../shared/accounts/api-keys.ts';
import { planDemo, seedDemo } from '../../shared/accounts/demo-organizations.ts';
import { organizationById } from '../../shared/accounts/organizations.ts';
import type { ProvisionedOrganization } from '../../shared/accounts/provision-organization.ts';
import { userByName } from '../../shared/accounts/users.ts';
import { currentSecrets, orUnreadable } from '../../shared/accounts/webhook-secrets.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';
import { writeWhole } from './write-whole.ts';

/** During provisioning the file holds `founding`, so that the next start resumes an interrupted one and creates nothing twice. */
type DemoFile = ProvisionedOrganization[] | { founding: ProvisionedOrganization[] };

type DemoOptions = { passwords: Passwords; models: readonly string[] };

/** The current state of an organization; a credential that no longer works is null. */
export type DemoOrganization = Omit<ProvisionedOrganization, 'apiKey' | 'password'> &
  Record<'apiKey' | 'password', string | null>;

export async function demoOrganizations(
  local: LocalContext,
  { passwords, models }: DemoOptions,
): Promise<DemoOrganization[]> {
  const file = join(local.folder.path, 'demo.json');
  const ports = { ...local, passwords };
  const demoState = read(file) ?? { founding: await planDemo(ports, models) };
  if (Array.isArray(demoState)) return remainingOrganizations(local, demoState);
  writeWhole(file, demoState);
  await seedDemo(ports, demoState.founding);
  writeWhole(file, demoState.founding);
  return demoState.founding;
}

/** Omits erased organizations, and reads the current webhook secret and models. */
async function remainingOrganizations(
  local: LocalContext,
  organizations: ProvisionedOrganization[],
): Promise<DemoOrganization[]> {
  const remaining = await Promise.all(
    organizations.map(async (founded) => {
      const organization = await organizationById(local.table, founded.id);
      if (!organization) return [];
      const [newest] = (await currentSecrets(local, founded.id).catch(orUnreadable)) ?? [];
      const { models } = organization;
      const webhookSecret = newest?.secret ?? founded.webhookSecret;
      return [{ ...founded, ...(await validCredentials(local, founded)), webhookSecret, models }];
    }),
  );
  return remaining.flat();
}

/** Checks the rows only: checking the password itself would cost every start a second. */
async function validCredentials({ table }: LocalContext, { id, apiKey, username, password }: ProvisionedOrganization) {
  const key = await apiKeyById(table, keyIdIn(apiKey) ?? '');
  const user = await userByName(table, username);
  const letsIn = user?.organization === id && !user.disabled && user.tokensFrom === undefined;
  return {
    apiKey: key && key.revokedAt === undefined ? apiKey : null,
    password: letsIn ? password : null,
  };
}

function read(file: string): DemoFile | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isDemoFile(content)) return content;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code !== undefined)
      throw new Problem('badSetting', `${file} cannot be read (${code}): make it readable.`, { cause });
  }
  // The file cannot be restored from the state, which holds only hashes of keys and passwords.
  throw new Problem(
    'badSetting',
    `${file} is damaged. It holds only the credentials of the demo organizations: restore or delete this file alone. ` +
      'Without it the next start adds two new demo organizations; everything else in the state stays.',
  );
}

const isDemoFile = (content: unknown): content is DemoFile =>
  isFounded(content) || isFounded((content as { founding?: unknown } | null)?.founding);

const isFounded = (content: unknown): content is ProvisionedOrganization[] =>
  Array.isArray(content) &&
  content.every((organization) => TEXTS.every((name) => typeof organization?.[name] === 'string'));

const TEXTS = ['id', 'name', 'apiKey', 'username', 'password', 'webhookSecret'];
