/** The output of `npm start` when everything is ready, and `local.json` with the same for scripts. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { styleText } from 'node:util';
import type { Unreached } from '../../adapters/local/context.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { type Standing, writeWhole } from './demo.ts';
import type { Addresses } from './product.ts';

/** `local.json`: where the running product answers, for scripts and tests. It is there only while the product is ready. */
export type LocalFile = {
  filesAndTasks: { baseUrl: string };
  agents: { rootUrl: string; wsUrl: string };
  mail: string;
  organizations: Standing[];
};

const placeOf = (folder: string): string => join(folder, 'local.json');

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
