/** What `npm start` reads and writes: the credentials of the demo organizations, `local.json` and the output. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import type { LocalContext } from '../../adapters/local/context.ts';
import { isRunning } from '../../adapters/local/state-folder.ts';
import type { UnconnectedModel } from '../../adapters/local/unconnected-models.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { apiKeyById, keyIdIn } from '../../shared/accounts/api-keys.ts';
import { type ProvisionedOrganization, planDemo, seedDemo } from '../../shared/accounts/lifecycle.ts';
import type { EnvironmentConnections } from '../../shared/accounts/model-connections.ts';
import { organizationById } from '../../shared/accounts/organizations.ts';
import { userByName } from '../../shared/accounts/users.ts';
import { currentSecrets, orUnreadable } from '../../shared/accounts/webhook-secrets.ts';
import type { Log } from '../../shared/core/log.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Passwords } from '../../shared/ports.ts';
import type { Sources } from './arguments.ts';
import { type Labelled, modelNotice } from './model-notice.ts';

export type ProductOptions = {
  ports: [number, number];
  log: Log;
  sources: Sources;
  passwords: Passwords;
  maxBadCredentials: number;
  organizations: DemoOrganization[];
  modelConnections: EnvironmentConnections;
};

// The local pages: the console, caught webhooks and mails. Their code is loaded on first use.

/** The path of calls that only the local console makes; they are not part of any contract. */
export const LOCAL_FOLDER = '/console/';

/** What the console server needs. */
export type ConsoleLocal = Pick<ProductOptions, 'ports' | 'organizations' | 'modelConnections'> & {
  local: Pick<LocalContext, 'table' | 'clock' | 'vault' | 'folder' | 'secrets' | 'models'>;
};

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

/** Writes a temporary file and renames it, so that readers see the whole file or none. */
function writeWhole(file: string, content: unknown): void {
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(partial, file);
}

/** `local.json`: the URLs of the running product, for scripts and tests. The file exists only while the product is ready. */
type LocalFile = {
  filesAndTasks: { baseUrl: string };
  agents: { rootUrl: string; wsUrl: string };
  mail: string;
  organizations: DemoOrganization[];
  /** The names of the connections to models that its environment sets. */
  modelConnections: string[];
};

const placeOf = (folder: string): string => join(folder, 'local.json');

/** The URLs of both APIs and of the WebSocket. */
export type Addresses = { filesAndTasks: string; agents: string; agentsSocket: string };

type LocalFileInput = Pick<ProductOptions, 'organizations' | 'modelConnections'> & { addresses: Addresses };

export function writeLocalFile(folder: string, { addresses, organizations, modelConnections }: LocalFileInput) {
  const mail = join(folder, 'mail');
  mkdirSync(mail, { recursive: true, mode: 0o700 });
  const content: LocalFile = {
    filesAndTasks: { baseUrl: `${addresses.filesAndTasks}/api/v1` },
    agents: { rootUrl: addresses.agents, wsUrl: addresses.agentsSocket },
    mail,
    organizations,
    modelConnections: [...modelConnections.keys()],
  };
  writeWhole(placeOf(folder), content);
  return { file: placeOf(folder), content };
}

/** The connections that the environment of the running product sets; `undefined` while none runs. */
export function runningConnections(folder: string): string[] | undefined {
  if (!isRunning(folder)) return undefined;
  try {
    return (JSON.parse(readFileSync(placeOf(folder), 'utf8')) as Partial<LocalFile>).modelConnections;
  } catch {
    return undefined; // it is starting or stopping
  }
}

export const removeLocalFile = (folder: string): void => rmSync(placeOf(folder), { force: true });

/** The output of `npm start` once everything is ready: labelled URLs, demo credentials and a call to copy. */
const LABEL_WIDTH = 19;
/** The suggested port of a webhook receiver is this much above the API's port. */
const RECEIVER_ABOVE = 100;

const line = (label: string, text: string) => `  ${styleText('bold', label.padEnd(LABEL_WIDTH))} ${text}`;

/** The lines of the credentials; a credential that no longer works is replaced by the reason. */
function credentials({ name, apiKey, username, password }: DemoOrganization): string[] {
  const since = (what: string, verb: string) => `${what} since: npx errand ${verb} ${JSON.stringify(name)}`;
  return [
    line(name, `API key   ${apiKey ?? since('revoked', 'key create')}`),
    line('', `login     ${username} / ${password ?? since('changed', 'user list')}`),
  ];
}

const firstCalls = (local: LocalFile, { apiKey, username, password }: DemoOrganization) => [
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

type StartPlaces = {
  state: string;
  file: string;
  sources: string[];
  unreached: UnconnectedModel[];
  models: Pick<Parameters<typeof modelNotice>[0], 'facts' | 'found'>;
};

const labelled = ([label, firstText = '', ...more]: Labelled): string[] => [
  line(label, firstText),
  ...more.map((text) => line('', text)),
  '',
];

export function startBlock(local: LocalFile, where: StartPlaces): string {
  const signInExample = local.organizations.find(({ apiKey, password }) => apiKey !== null && password !== null);
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
    ...modelNotice({ ...where.models, organizations: local.organizations, docs: `${origin}/docs` }).flatMap(labelled),
    ...(signInExample ? firstCalls(local, signInExample) : []),
    line('See webhooks arrive', `give tasks the endpoint ${origin}/catch/ and look at Webhooks in the console`),
    line('Receive them aside', `npx errand webhooks listen --port ${receiver}`),
    '',
    styleText('dim', '  Ctrl-C stops it; the state stays. `npm start -- --reset` deletes the state.'),
    '',
  ].join('\n');
}
