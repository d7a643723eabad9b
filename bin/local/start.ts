/** What `npm start` reads and writes: its arguments, the credentials of the demo organizations, `local.json` and the output. */
import { X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs, styleText } from 'node:util';
import type { LocalContext, Unreached } from '../../adapters/local/context.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { apiKeyById, keyIdIn } from '../../shared/accounts/api-keys.ts';
import { type ProvisionedOrganization, planDemo, seedDemo } from '../../shared/accounts/lifecycle.ts';
import { organizationById } from '../../shared/accounts/organizations.ts';
import { userByName } from '../../shared/accounts/users.ts';
import { currentSecrets, orUnreadable } from '../../shared/accounts/webhook-secrets.ts';
import type { Log } from '../../shared/core/log.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';

export const USAGE = `Usage: npm start -- [--reset] [--allow-source ORIGIN ...] [--source-ca FILE]

  --reset                 wipes the state and the demo credentials, then starts
  --allow-source ORIGIN   lets files be fetched from this origin too, such as https://127.0.0.1:4443
  --source-ca FILE        the certificate authority (PEM) of these origins, and of issuers of single sign-on
  --help                  this page`;

const OPTIONS = {
  reset: { type: 'boolean' },
  help: { type: 'boolean' },
  'allow-source': { type: 'string', multiple: true },
  'source-ca': { type: 'string' },
} as const;

export type StartArguments = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];

/** Throws what parseArgs says of words it does not know. */
export const wordsOf = (args: string[]): StartArguments => parseArgs({ args, options: OPTIONS }).values;

export function sourcesIn({ 'allow-source': origins = [], 'source-ca': file }: StartArguments): Sources {
  for (const origin of origins) {
    if (URL.canParse(origin) && new URL(origin).origin === origin && origin.startsWith('https://')) continue;
    throw new Problem(
      'badSetting',
      `--allow-source ${origin} is not a valid origin: use one such as https://127.0.0.1:4443.`,
    );
  }
  return { allowSources: origins, ca: file === undefined ? undefined : authorityIn(file) };
}

function authorityIn(file: string): string {
  const pem = textOf(file);
  try {
    new X509Certificate(pem);
    return pem;
  } catch (cause) {
    throw new Problem('badSetting', `--source-ca ${file} holds no certificate: give a PEM file.`, { cause });
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new Problem('badSetting', `--source-ca ${file} cannot be read: give a PEM file.`, { cause });
  }
}

export type ProductOptions = {
  ports: [number, number];
  log: Log;
  sources: Sources;
  passwords: Passwords;
  maxBadCredentials: number;
  organizations: Standing[];
};

/** Origins files may be fetched from though they are not public, and the authority (PEM) that vouches for them. */
export type Sources = { allowSources: string[]; ca: string | undefined };

// The local pages: the console, caught webhooks and mails. Their code is loaded on first use.

/** What the console asks of this machine alone, not part of any contract. */
export const LOCAL_FOLDER = '/console/';

/** Serves the console to this machine's own browser, and beside it what only this machine has: its mails, caught webhooks. */
export type ConsoleLocal = Pick<ProductOptions, 'ports' | 'organizations'> & {
  local: Pick<LocalContext, 'table' | 'clock' | 'vault' | 'folder' | 'secrets'>;
};

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
function writeWhole(file: string, content: unknown): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}

/** `local.json`: where the running product answers, for scripts and tests. It is there only while the product is ready. */
export type LocalFile = {
  filesAndTasks: { baseUrl: string };
  agents: { rootUrl: string; wsUrl: string };
  mail: string;
  organizations: Standing[];
};

const placeOf = (folder: string): string => join(folder, 'local.json');

/** Where both APIs and the WebSocket answer. */
export type Addresses = { filesAndTasks: string; agents: string; agentsSocket: string };

export function writeLocalFile(folder: string, addresses: Addresses, organizations: Standing[]) {
  const mail = join(folder, 'mail');
  mkdirSync(mail, { recursive: true, mode: 0o700 });
  const content: LocalFile = {
    filesAndTasks: { baseUrl: `${addresses.filesAndTasks}/api/v1` },
    agents: { rootUrl: addresses.agents, wsUrl: addresses.agentsSocket },
    mail,
    organizations,
  };
  writeWhole(placeOf(folder), content);
  return { file: placeOf(folder), content };
}

export const removeLocalFile = (folder: string): void => rmSync(placeOf(folder), { force: true });

/** What `npm start` prints when everything is ready: labelled addresses, demo credentials, a call to copy. */
const LABEL_WIDTH = 19;
/** Above the API's own, whichever that is. */
const RECEIVER_ABOVE = 100;

const line = (label: string, text: string) => `  ${styleText('bold', label.padEnd(LABEL_WIDTH))} ${text}`;

/** Where a credential was, the line that tells what became of it. */
function credentials({ name, apiKey, username, password }: Standing): string[] {
  const since = (what: string, verb: string) => `${what} since: npx errand ${verb} ${JSON.stringify(name)}`;
  return [
    line(name, `API key   ${apiKey ?? since('revoked', 'key create')}`),
    line('', `login     ${username} / ${password ?? since('changed', 'user list')}`),
  ];
}

const firstCalls = (local: LocalFile, { apiKey, username, password }: Standing) => [
  line('Try it', 'get a URL to upload a file to:'),
  '',
  `curl -s ${local.filesAndTasks.baseUrl}/files \\`,
  `  -H 'authorization: Bearer ${apiKey}' \\`,
  `  -H 'content-type: application/json' -d '{"fileName":"report.pdf"}'`,
  '',
  line('Log in', 'get an access token for the background agents:'),
  '',
  `curl -s ${local.agents.rootUrl}/auth/login -H 'content-type: application/json' \\`,
  `  -d '{"username":"${username}","password":"${password}"}'`,
  '',
];

type Where = { state: string; file: string; sources: string[]; unreached: Unreached[] };

export function startBlock(local: LocalFile, where: Where): string {
  const first = local.organizations.find(({ apiKey, password }) => apiKey !== null && password !== null);
  const noOrganization = line('No organization yet', 'npx errand org create NAME');
  const { origin } = new URL(local.filesAndTasks.baseUrl);
  const receiver = Number(new URL(local.filesAndTasks.baseUrl).port) + RECEIVER_ABOVE;
  return [
    '',
    styleText('green', `Errand ${packageJson.version} is ready.`),
    '',
    line('Console', `${origin}/`),
    line('Files & Tasks API', local.filesAndTasks.baseUrl),
    line('Background agents', local.agents.rootUrl),
    line('Reference', `${origin}/docs`),
    line('Sent e-mails', `${local.agents.rootUrl}/mail/`),
    line('State', where.state),
    line('The same as JSON', where.file),
    ...where.sources.map((origin) => line('Fetches also from', origin)),
    '',
    ...local.organizations.flatMap(credentials),
    ...where.unreached.map(({ name, why }) => line('No answers', `for ${name} by default: ${why}`)),
    '',
    ...(local.organizations.length === 0 ? [noOrganization, ''] : []),
    ...(first ? firstCalls(local, first) : []),
    line('See webhooks arrive', `give tasks the endpoint ${origin}/catch/ and look at Webhooks in the console`),
    line('Receive them aside', `npx errand webhooks listen --port ${receiver}`),
    '',
    styleText('dim', '  Ctrl-C stops it; the state stays. `npm start -- --reset` deletes the state.'),
    '',
  ].join('\n');
}
