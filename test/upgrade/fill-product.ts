/** Fills a local product with something of everything, over its APIs and the operator's command line. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import packageJson from '../../package.json' with { type: 'json' };
import type { Running } from '../functions/over-http/local-product.ts';
import { subscribe } from '../shared/realtime/client.ts';
import type { Any } from '../support/any.ts';
import { STEPS } from './scripted-model.ts';

/**
 * The test listens on these ports again. They are below the range that systems assign, and others for each release, as
 * the tests of two releases run at once.
 */
const FIRST_PORT = 24_107 + 10 * Number(packageJson.version.split('.')[1]);
export const PORTS = { refusing: FIRST_PORT, failing: FIRST_PORT + 1, accepting: FIRST_PORT + 2 };
export const IMPORTED_FILE = 'port,fee\nGdansk,EUR 120\nRiga,EUR 98\n';
const PASSWORD = 'a password that is recorded';
const MINUTE_MS = 60_000;
/** Webhooks in retry and the recurring task are due within this time. */
const SLOT_AFTER_MS = 10 * MINUTE_MS;
/** One organization may run 45 tasks of a lane: the others stay queued. */
const HANGING_TASKS = 48;
/** A circuit breaker opens when its failures span 3.5 seconds. */
const BREAKER_MS = 4_000;
const RECONCILED_MS = 62_000;
/** The product reads organizations at most half a second late. */
export const SEEN_AFTER_MS = 1_000;
const SOURCE = `title: Port news
entries:
  - title: Baltic ports raise their fees
    text: Ports along the Baltic raised their port fees by 6.5 per cent on average in 2026, the association of port operators said.
    published: 2026-03-02
  - title: Baltic port fee index
    text: The Baltic port fee index stood at 111 points on 2026-03-01.
    published: 2026-03-01
    figures:
      - label: Port fee index
        value: 111
        unit: points
`;
const WORKFLOW = `# Two steps\n\n## First\n\n${STEPS[0]}\n\n## Second\n\n${STEPS[1]}\n`;
/** The rent stands beside a label, the tenant in a sentence. */
const SCHEMA = { type: 'object', properties: { rent: { type: 'string' }, tenant: { type: 'string' } } };
const RULESET = '# Style\n\nBe brief. Name every date.\n';

export type Api = (path: string, body?: object, headers?: Record<string, string>) => Promise<Any>;
type Apis = { files: Api; agents: Api; agentsOfTwo: Api };
type Login = { username: string; password: string };

export function apiOf(root: string, credential: string): Api {
  return async (path, body, headers = {}) => {
    const response = await fetch(root + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
}

export async function logIn(product: Running, { username, password }: Login): Promise<string> {
  return (await apiOf(product.local.agents.rootUrl, '')('/auth/login', { username, password })).access_token;
}

export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + MINUTE_MS; !(await isTrue()); await sleep(250))
    if (Date.now() > end) throw new Error(`Waited too long for ${what}.`);
}

/** Runs the operator's command line on the state of a product. */
export const operatorOf =
  ({ env }: Pick<Running, 'env'>) =>
  (args: string[], input = ''): Any => {
    const script = join(import.meta.dirname, '../../bin/errand.ts');
    const run = spawnSync(process.execPath, [script, ...args, '--json'], { encoding: 'utf8', input, env });
    if (run.status !== 0) throw new Error(`${args.join(' ')}: ${run.stderr}`);
    return JSON.parse(run.stdout);
  };

export function demoOrganizations({ local }: Running) {
  const [one, two] = local.organizations;
  if (!one || !two) throw new Error('There are no demo organizations.');
  return [one, two] as const;
}

export const endpointAt = (port: number, path = '/hook') => `http://127.0.0.1:${port}${path}`;

const chatBody = (endpoint: string, input: object = {}) => ({
  namespace: 'homes',
  delivery: { type: 'webhook', config: { endpoint } },
  input: { type: 'chat', prompt: 'What is the rent?', ...input },
});

export async function upload(files: Api, fileName: string, text: string) {
  const { fileId, uploadUrl, storagePath } = await files('/files', { fileName });
  await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': 'text/plain' }, body: text });
  const completion = { fileName, mimeType: 'text/plain', size: Buffer.byteLength(text), storagePath };
  return { fileId: fileId as string, completion, text };
}

/** Two days before the rest: tokens of that day, an upload and an API key that have expired since. */
export async function fillEarlier(product: Running) {
  const [one] = demoOrganizations(product);
  const files = apiOf(product.local.filesAndTasks.baseUrl, one.apiKey);
  const expiredUpload = await upload(files, 'expired.txt', 'never completed');
  const operate = operatorOf(product);
  const key = operate(['key', 'create', one.name, '--name', 'expired', '--expires', '1']);
  operate(['org', 'models', one.name, 'openai/steady']);
  await sleep(SEEN_AFTER_MS);
  const { taskId } = await files('/tasks', chatBody(endpointAt(PORTS.accepting)));
  await until('a success', async () => (await files(`/tasks/${taskId}`)).status === 'success');
  return { expiredKey: key.apiKey as string, expiredUpload };
}

function configure(product: Running, folder: string) {
  const [one, two] = demoOrganizations(product);
  const operate = operatorOf(product);
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const roles = ['member', 'viewer'].map((role) => ({ role, username: `${role}@demo-one`, password: PASSWORD }));
  for (const { role, username, password } of roles)
    operate(['user', 'create', username, '--org', one.name, '--role', role, '--password-stdin'], password);
  const valid = operate(['key', 'create', one.name, '--name', 'second', '--expires', '3000']);
  const revoked = operate(['key', 'create', one.name, '--name', 'lost']);
  operate(['key', 'revoke', revoked.id]);
  const rotated = operate(['webhook-secret', 'rotate', one.name]);
  const issuer = ['--issuer', 'https://login.errand-tests.org', '--keys', 'https://login.errand-tests.org/keys'];
  operate(['sso', 'set', one.name, ...issuer, '--audience', 'errand', '--admit']);
  operate(['user', 'link', 'viewer@demo-one', 'subject-7']);
  const source = fileOf('source.yaml', SOURCE);
  for (const name of ['port_news', 'news_feeds'])
    for (const org of [one, two]) operate(['source', 'put', name, '--file', source, '--org', org.name]);
  const workflow = operate(['workflow', 'put', fileOf('steps.md', WORKFLOW), '--org', one.name]);
  const ruleset = operate(['ruleset', 'put', fileOf('rules.md', RULESET), '--org', one.name]);
  operate(['org', 'limits', one.name, 'tasks', '--minute', '500']);
  operate(['org', 'models', one.name, 'offline/extractive', 'openai/steady', 'openai/hangs', 'openai/gone']);
  operate(['org', 'models', two.name, 'openai/hangs']);
  return {
    users: [one, two, ...roles].map(({ username, password }) => ({ username, password })),
    validKey: valid.apiKey as string,
    revokedKey: revoked.apiKey as string,
    webhookSecrets: [rotated.webhookSecret as string, one.webhookSecret],
    workflowId: workflow.id as string,
    rulesetId: ruleset.id as string,
  };
}

async function addFiles(files: Api, fileServer: string) {
  const text = 'The lease begins on 14 January 2026 and ends on 13 January 2031. The rent is 1,200 euros a month.';
  const lease = await upload(files, 'lease.txt', text);
  await files(`/files/${lease.fileId}/complete`, lease.completion);
  const imported = await files('/files', { url: `${fileServer}/fees.csv` });
  const pendingUpload = await upload(files, 'pending.txt', 'not completed yet');
  return { leaseId: lease.fileId, stored: { [lease.fileId]: text, [imported.fileId]: IMPORTED_FILE }, pendingUpload };
}

type ChatInputs = { leaseId: string; rulesetId: string; workflowId: string };

/** Tasks of the first API that end, fail, are cancelled, hang at their second step, or whose webhooks are in retry. */
async function submitChats(files: Api, { leaseId, rulesetId, workflowId }: ChatInputs) {
  const submit = async (endpoint: string, input?: object): Promise<string> =>
    (await files('/tasks', chatBody(endpoint, input))).taskId;
  const [accepting, failing] = [endpointAt(PORTS.accepting), endpointAt(PORTS.failing)];
  const waiting = [await submit(failing)];
  const failingSince = Date.now();
  const prompt = 'What is the rent, and when does the lease end? Save it as lease.md';
  const body = chatBody(accepting, { prompt, fileIds: [leaseId], rulesetIds: [rulesetId] });
  const answer = await files('/tasks', body, { 'idempotency-key': 'recorded-key' });
  const chats = {
    archived: answer.taskId as string,
    failed: await submit(endpointAt(PORTS.accepting, '/gone'), { model: 'openai/gone' }),
    cancelled: await submit(accepting, { model: 'openai/hangs' }),
    atSecondStep: await submit(accepting, { model: 'openai/steady', workflowIds: [workflowId] }),
    record: await submit(accepting, { model: 'openai/steady', fileIds: [leaseId], outputSchema: SCHEMA }),
    inRetry: await submit(endpointAt(PORTS.refusing)),
    waiting,
  };
  await until('an active task', async () => (await files(`/tasks/${chats.cancelled}`)).status === 'active');
  await files(`/tasks/${chats.cancelled}/cancel`, {});

  // Five failures open the circuit breaker; the two deliveries after them wait for it.
  const attempts = async (id: string) => (await files(`/tasks/${id}/deliveries`)).deliveries[0]?.attempts.length ?? 0;
  await sleep(Math.max(0, failingSince + BREAKER_MS - Date.now()));
  for (let sent = 0; sent < 5; sent++) waiting.push(await submit(failing));
  await until('failures', async () => (await Promise.all(waiting.map(attempts))).every((made) => made > 0));
  for (let sent = 0; sent < 2; sent++) waiting.push(await submit(failing));
  await until('a second attempt', async () => (await attempts(chats.inRetry)) > 1);
  return { chats, idempotent: { key: 'recorded-key', body, answer } };
}

async function submitAgentTasks({ agents, agentsOfTwo }: Apis, slotAt: number, fileServer: string) {
  const submit = async (json: object, api = agents): Promise<string> => (await api('/tasks', json)).task_id;
  const query = { query: 'How did port fees change?', sources: ['port_news'], output_format: 'html' };
  const research = { task_type: 'research_agent', input: { ...query, deliverables: ['charts', 'key_findings'] } };
  const recipients = ['ann@errand-tests.org', 'bob@errand-tests.org'];
  const content = { recipients, data_sources: ['news_feeds'], message: 'Fees.' };
  const notification = (input: object) => ({ task_type: 'notification_agent', input });
  const notificationAt = (at: number, frequency = 'daily') =>
    notification({ content, schedule: { frequency, time: new Date(at).toISOString().slice(11, 19) } });
  const processing = (document: object, input: object = { extraction_rules: ['amounts'], output_format: 'csv' }) => ({
    task_type: 'processing_agent',
    input: { documents: [document], ...input },
  });
  const byModel = { ...research.input, model: 'openai/steady', output_format: 'markdown' };
  const recordByModel = { model: 'openai/steady', output_schema: SCHEMA, output_format: 'xlsx' };
  return {
    report: await submit({ ...research, webhook_url: endpointAt(PORTS.accepting), metadata: { order: '7' } }),
    mailed: await submit(notification({ content: { ...content, include_charts: true } })),
    processed: await submit(processing({ url: `${fileServer}/fees.csv`, type: 'csv' })),
    reportByModel: await submit({ ...research, input: byModel }),
    recordByModel: await submit(processing({ url: `${fileServer}/fees.csv`, type: 'csv' }, recordByModel)),
    failed: await submit(processing({ url: `${fileServer}/none.pdf` })),
    running: await submit(research, agentsOfTwo),
    once: await submit(notificationAt(slotAt + 360 * MINUTE_MS, 'once')),
    cancelled: await submit(notificationAt(slotAt + 60 * MINUTE_MS)),
    recurring: await submit(notificationAt(slotAt)),
    ranOnce: await submit(notificationAt(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000)),
  };
}

type AgentTasks = Awaited<ReturnType<typeof submitAgentTasks>>;
type Chats = Awaited<ReturnType<typeof submitChats>>['chats'];

async function waitForEnds({ files, agents, agentsOfTwo }: Apis, chats: Chats, tasks: AgentTasks) {
  const isSettled = async (api: Api, id: string) =>
    /delivered|exhausted/.test((await api(`/tasks/${id}/deliveries`)).deliveries[0]?.state);
  for (const id of [
    tasks.report,
    tasks.mailed,
    tasks.processed,
    tasks.reportByModel,
    tasks.recordByModel,
    tasks.failed,
  ])
    await until(`the end of ${id}`, async () => /completed|failed/.test((await agents(`/tasks/${id}`)).status));
  for (const id of [chats.archived, chats.record, chats.failed, chats.cancelled])
    await until('a delivery', () => isSettled(files, id));
  await until('the delivery of the report', () => isSettled(agents, tasks.report));
  await until('a run', async () => (await agents(`/tasks/${tasks.ranOnce}/results`)).results?.runs?.length === 1);
  await until('a task', async () => (await agentsOfTwo(`/tasks/${tasks.running}`)).status === 'processing');
}

/** What the APIs answer about everything that does not change any more, and the bytes of its files. */
async function recordAnswers({ files, agents }: Apis, paths: { files: string[]; agents: string[] }) {
  const answers: { api: 'files' | 'agents'; path: string; body: Any }[] = [];
  for (const path of paths.files) answers.push({ api: 'files', path, body: await files(path) });
  for (const path of paths.agents) answers.push({ api: 'agents', path, body: await agents(path) });
  const archive = answers.find(({ body }) => body.output?.archive)?.body.output.archive.presignedUrl;
  const reports = answers.flatMap(({ path, body }): { name: string; url: string }[] =>
    (body.results?.files ?? []).map(({ name, url }: Any) => ({ name: `${path} ${name}`, url })),
  );
  const hashes: Record<string, string> = {};
  for (const { name, url } of [{ name: 'archive', url: archive }, ...reports])
    hashes[name] = createHash('sha256')
      .update(await (await fetch(url)).bytes())
      .digest('hex');
  return { answers, hashes };
}

const REPORTS = (name: string) => [
  ['org', 'list'],
  ['org', 'limits', name],
  ['org', 'show', name],
  ['user', 'list', name],
  ['key', 'list', name],
  ['sso', 'show', name],
  ['source', 'list', '--org', name],
  ['workflow', 'list', '--org', name],
  ['ruleset', 'list', '--org', name],
  ['suppression', 'list', name],
  ['audit', '--limit', '100'],
];

/** What the operator's command line says of a state at its end. */
export const reportsOf = (on: Pick<Running, 'env'>, organization: string) =>
  REPORTS(organization).map((args) => ({ args, report: operatorOf(on)(args) }));

/** By recipient, from the mails that were sent. */
function unsubscribePaths(folder: string): Map<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.eml'));
  return new Map(
    names.map((name) => {
      const [head = ''] = readFileSync(join(folder, name), 'utf8')
        .replace(/\r\n[ \t]/g, ' ')
        .split('\r\n\r\n');
      const link = /^List-Unsubscribe:.*?<(http[^>]+)>/im.exec(head)?.[1]?.replaceAll(' ', '') ?? '';
      return [/^To:.*?([^\s<]+@[^\s>]+)/im.exec(head)?.[1] ?? '', new URL(link).pathname];
    }),
  );
}

export async function fillProduct(product: Running, { folder, fileServer }: { folder: string; fileServer: string }) {
  const at = Date.now();
  const slotAt = Math.ceil((at + SLOT_AFTER_MS) / MINUTE_MS) * MINUTE_MS;
  const config = configure(product, folder);
  await sleep(SEEN_AFTER_MS);
  const [one, two] = demoOrganizations(product);
  const { agents: agentsAt, filesAndTasks, mail } = product.local;
  const accessToken = await logIn(product, one);
  const apis: Apis = {
    files: apiOf(filesAndTasks.baseUrl, config.validKey),
    agents: apiOf(`${agentsAt.rootUrl}/api/v1`, accessToken),
    agentsOfTwo: apiOf(`${agentsAt.rootUrl}/api/v1`, await logIn(product, two)),
  };
  const { leaseId, ...uploads } = await addFiles(apis.files, fileServer);
  const agentTasks = await submitAgentTasks(apis, slotAt, fileServer);
  await apis.agents(`/tasks/${agentTasks.cancelled}/cancel`, { reason: 'Not needed.' });
  const { chats, idempotent } = await submitChats(apis.files, { leaseId, ...config });
  await waitForEnds(apis, chats, agentTasks);
  const unsubscribe = unsubscribePaths(mail);
  await fetch(agentsAt.rootUrl + unsubscribe.get('bob@errand-tests.org'), { method: 'POST' });

  const parts = (id: string, more: string[]) => ['', ...more].map((part) => `/tasks/${id}${part}`);
  const finishedChats = [chats.archived, chats.record, chats.failed, chats.cancelled];
  const { report, mailed, processed, reportByModel, recordByModel, failed, cancelled } = agentTasks;
  const recorded = await recordAnswers(apis, {
    files: ['/models', ...finishedChats.flatMap((id) => parts(id, ['/input', '/deliveries']))],
    agents: [report, mailed, processed, reportByModel, recordByModel, failed, cancelled].flatMap((id) =>
      parts(id, ['/results', '/input', '/deliveries']),
    ),
  });
  const { websocket_token: token } = await apis.agents('/websocket-auth', {});
  await subscribe(agentsAt.wsUrl, token);
  // The reconciler runs once a minute. It puts recurring tasks on their schedule.
  await sleep(Math.max(0, at + RECONCILED_MS - Date.now()));
  const hanging: string[] = [];
  const hangingBody = chatBody(endpointAt(PORTS.accepting), { model: 'openai/hangs', prompt: 'Go on.' });
  for (let sent = 0; sent < HANGING_TASKS; sent++) hanging.push((await apis.files('/tasks', hangingBody)).taskId);
  return {
    version: packageJson.version,
    ...{ at, slotAt, ports: PORTS },
    organizations: [one, two].map(({ id, name, apiKey }) => ({ id, name, apiKey })),
    ...config,
    accessToken,
    ...uploads,
    idempotent,
    unsubscribePath: unsubscribe.get('ann@errand-tests.org') ?? '',
    chats: { ...chats, hanging },
    agentTasks,
    ...recorded,
  };
}
