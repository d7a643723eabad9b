/** The demo organizations' credentials, kept in clear beside the state so that they survive a restart. Local only. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LocalContext } from '../../adapters/local/context.ts';
import { apiKeyById, keyIdIn } from '../../shared/accounts/api-keys.ts';
import { type ProvisionedOrganization, planDemo, seedDemo } from '../../shared/accounts/lifecycle.ts';
import { organizationById } from '../../shared/accounts/organizations.ts';
import { userByName } from '../../shared/accounts/users.ts';
import { currentSecrets, orUnreadable } from '../../shared/accounts/webhook-secrets.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';

/** While they are founded the file says so, so that a start which was cut off is gone on with and founds nothing twice. */
type DemoFile = ProvisionedOrganization[] | { founding: ProvisionedOrganization[] };

type DemoOptions = { passwords: Passwords; models: readonly string[] };

/** As an organization stands now: null in place of a credential that no longer works. */
export type Standing = Omit<ProvisionedOrganization, 'apiKey' | 'password'> &
  Record<'apiKey' | 'password', string | null>;

export async function demoOrganizations(local: LocalContext, { passwords, models }: DemoOptions): Promise<Standing[]> {
  const file = join(local.folder.path, 'demo.json');
  const ports = { ...local, passwords };
  const kept = read(file) ?? { founding: await planDemo(ports, models) };
  if (Array.isArray(kept)) return standing(local, kept);
  writeWhole(file, kept);
  await seedDemo(ports, kept.founding);
  writeWhole(file, kept.founding);
  return kept.founding;
}

/** Without those that were erased since, and with the webhook secret and the models they have now. */
async function standing(local: LocalContext, kept: ProvisionedOrganization[]): Promise<Standing[]> {
  const found = await Promise.all(
    kept.map(async (founded) => {
      const organization = await organizationById(local.table, founded.id);
      if (!organization) return [];
      const [newest] = (await currentSecrets(local, founded.id).catch(orUnreadable)) ?? [];
      const { models } = organization;
      const webhookSecret = newest?.secret ?? founded.webhookSecret;
      return [{ ...founded, ...(await stillGood(local, founded)), webhookSecret, models }];
    }),
  );
  return found.flat();
}

/** By what the rows say: to check the password itself would cost every start a second. */
async function stillGood({ table }: LocalContext, { id, apiKey, username, password }: ProvisionedOrganization) {
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
  // It cannot be made from the state, which holds only hashes of the keys and passwords.
  throw new Problem(
    'badSetting',
    `${file} is damaged. It holds only the credentials of the demo organizations: restore or delete this file alone. ` +
      'Without it the next start adds two new demo organizations; everything else in the state stays.',
  );
}

const isDemoFile = (content: unknown): content is DemoFile =>
  isFounded(content) || isFounded((content as { founding?: unknown } | null)?.founding);

const isFounded = (content: unknown): content is ProvisionedOrganization[] =>
  Array.isArray(content) && content.every((one) => TEXTS.every((name) => typeof one?.[name] === 'string'));

const TEXTS = ['id', 'name', 'apiKey', 'username', 'password', 'webhookSecret'];

/** Written beside its place and renamed: a reader sees the whole file or none. */
export function writeWhole(file: string, content: unknown): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}
