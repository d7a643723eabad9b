/** What `npm start` prints once everything is ready. */
import { styleText } from 'node:util';
import type { UnconnectedModel } from '../../adapters/local/unconnected-models.ts';
import packageJson from '../../package.json' with { type: 'json' };
import type { DemoOrganization } from './demo-organizations.ts';
import type { LocalFile } from './local-file.ts';
import { type Labelled, modelNotice } from './model-notice.ts';

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
  models: Pick<Parameters<typeof modelNotice>[0], 'facts' | 'detected'>;
};

const labelled = ([label, firstText = '', ...more]: Labelled): string[] => [
  line(label, firstText),
  ...more.map((text) => line('', text)),
  '',
];

/** The output of `npm start` once everything is ready: labelled URLs, demo credentials and a call to copy. */
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
