/** A scenario with all features of an organization, failures included, and a canary in every secret. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { setIssuer } from '../../../shared/accounts/issuers.ts';
import { setModels } from '../../../shared/accounts/organizations.ts';
import { storeConnection } from '../../../shared/accounts/stored-connections.ts';
import { createUser } from '../../../shared/accounts/users.ts';
import { rotateWebhookSecret } from '../../../shared/accounts/webhook-secrets.ts';
import { json, stubServer } from '../../engines/models/stub-server.ts';
import { reply } from '../../engines/outbound/paper.ts';
import { signingKey } from '../../shared/accounts/sso/issuer.ts';
import { subscribe } from '../../shared/realtime/client.ts';
import type { Attacked, FaceName, Reply, Sent } from './attack-target.ts';
import type { aviary } from './canary.ts';
import { bearer } from './operations.ts';
import { until } from './part.ts';
import type { Tenant } from './tenants.ts';

type Birds = ReturnType<typeof aviary>;
type Answers = { reply: Reply /** Names of the secrets that this answer is meant to return. */; gives: string[] }[];
type Ask = (face: FaceName, sent: Sent, gives?: string[]) => Promise<Reply>;
type Stage = { on: Attacked; birds: Birds; tenant: Tenant; ask: Ask };

type Ended = { output: { archive: { presignedUrl: string } } };

const HOOK = 'https://hooks.customer-a.com/x';
const signatureIn = (address: unknown): string => new URL(String(address)).searchParams.get('signature') ?? '';

/** Returns all answers. */
export async function liveThrough(on: Attacked, birds: Birds, tenant: Tenant): Promise<Answers> {
  const answers: Answers = [];
  const ask: Ask = async (face, sent, gives = []) => {
    const reply = await on.send(face, sent);
    answers.push({ reply, gives });
    return reply;
  };
  const stage = { on, birds, tenant, ask };
  birds.ring('the API key', tenant.apiKey);
  birds.ring('the webhook secret', tenant.webhookSecret);
  birds.ring('the next webhook secret', (await rotateWebhookSecret(on.local, tenant.id)).secret);
  const { current } = JSON.parse(readFileSync(join(on.state, 'master.json'), 'utf8'));
  birds.ring('the master secret', current.key);
  const token = await loggedIn(stage);
  await refusedWith(stage, token);
  const files = await filesOf(stage);
  await tasksOf(stage, token, files);
  await modelWithKey(stage);
  await brokenStorage(stage);
  return answers;
}

async function loggedIn({ on, birds, tenant, ask }: Stage): Promise<string> {
  const password = birds.hatch('a password');
  const username = `canary@${tenant.name}`;
  const wanted = { organization: tenant.id, name: username, role: 'admin', password } as const;
  await createUser({ ...on.local, passwords: on.tenants.passwords }, wanted);
  const path = '/auth/login';
  const { body } = await ask('agents', { path, json: { username, password } }, ['an access token']);
  const token = birds.ring('an access token', String(body.access_token));
  await ask('agents', { path, json: { username, password: birds.hatch('a wrong password') } });
  await ask('agents', { path, json: { username: birds.hatch('a password for a name'), password } });
  await ask('agents', { path, raw: `{"username":"a","password":"${birds.hatch('a password in broken JSON')}"` });
  const key = await signingKey();
  const issuer = 'https://login.customer-b.com';
  on.world.pages.set('/keys', JSON.stringify({ keys: [key.jwk] }));
  const keysAddress = `${issuer}/keys?k=${birds.hatch('a query of the issuer', 'own')}`;
  on.world.pages.set(new URL(keysAddress).pathname + new URL(keysAddress).search, JSON.stringify({ keys: [key.jwk] }));
  await setIssuer(on.local, tenant.id, { issuer, audience: 'canary', keysAddress, admits: true });
  const iat = Math.floor(Date.now() / 1_000);
  for (const [name, exp] of [
    ['an ID token', iat + 300],
    ['an ID token that ran out', iat - 1],
  ] as const) {
    const claims = { iss: issuer, aud: 'canary', sub: name, iat: iat - 60, exp };
    const text = await new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.kid }).sign(key.privateKey);
    await ask('agents', { path, json: { sso_token: birds.ring(name, text) } }, [name]);
  }
  return token;
}

/** Sends credentials that are invalid, or in places where the product does not expect them. */
async function refusedWith({ birds, ask }: Stage, token: string): Promise<void> {
  const path = '/api/v1/tasks';
  for (const face of ['files', 'agents'] as const) {
    for (const word of ['Bearer', 'Basic', 'Digest', 'ApiKey']) {
      await ask(face, { path, headers: { authorization: `${word} ${birds.hatch(`${word} credentials at ${face}`)}` } });
    }
    const headers = { ...bearer(birds.hatch(`no token at ${face}`)), 'x-api-key': birds.hatch(`no key at ${face}`) };
    await ask(face, { path, headers });
    await ask(face, { path, headers: { cookie: `session=${birds.hatch(`a cookie at ${face}`)}` } });
    await ask(face, {
      path: `${path}?access_token=${birds.hatch(`a token in a query at ${face}`)}`,
      headers: bearer(token),
    });
    await ask(face, { path: `/${birds.hatch(`a secret for a path at ${face}`)}/x`, headers: bearer(token) });
    const raw = `{"a":"${birds.hatch(`a secret in broken JSON at ${face}`)}"`;
    await ask(face, {
      path,
      headers: { ...bearer(token), 'idempotency-key': birds.hatch(`an idempotency key at ${face}`) },
      raw,
    });
  }
}

async function filesOf({ on, birds, tenant, ask }: Stage): Promise<string[]> {
  const headers = bearer(tenant.apiKey);
  const path = '/api/v1/files';
  const given = ['the signature of an upload'];
  const once = { ...headers, 'idempotency-key': 'canary-upload' };
  const { body: offer } = await ask('files', { path, headers: once, json: { fileName: 'notes.txt' } }, given);
  birds.ring('the signature of an upload', signatureIn(offer.uploadUrl));
  const text = `The lease runs until ${birds.hatch('words in a file', 'own')} of May.`;
  await fetch(String(offer.uploadUrl), { method: 'PUT', body: text });
  const { fileId, storagePath } = offer as Record<string, string>;
  const json = { fileName: 'notes.txt', mimeType: 'text/plain', size: text.length, storagePath };
  await ask('files', { path: `${path}/${fileId}/complete`, headers, json });
  const shown = await ask('files', { path: `${path}/${fileId}`, headers }, ['the signature of a download']);
  birds.ring('the signature of a download', signatureIn(shown.body.url));
  await fetch(String(shown.body.url));
  await fetch(`${String(shown.body.url).slice(0, -3)}AAA`);
  const host = 'files.customer-a.com';
  const signed = `https://${host}/a.txt?X-Amz-Signature=${birds.hatch('the signature of a foreign address')}`;
  const { body: brought } = await ask('files', { path, headers, json: { url: signed } });
  const withUser = `https://user:${birds.hatch('a password in an address')}@${host}/a.txt`;
  await ask('files', { path, headers, json: { url: withUser } });
  await on.order({ dns: {} });
  await ask('files', {
    path,
    headers,
    json: { url: `https://${host}/?k=${birds.hatch('a query of an address that fails')}` },
  });
  await on.order({ dns: null });
  return [String(fileId), String(brought.fileId)];
}

async function tasksOf({ on, birds, tenant, ask }: Stage, token: string, fileIds: string[]): Promise<void> {
  const [key, person] = [bearer(tenant.apiKey), bearer(token)];
  const socket = await ask('agents', { method: 'POST', path: '/api/v1/websocket-auth', headers: person }, [
    'a token for a WebSocket',
  ]);
  const websocketToken = birds.ring('a token for a WebSocket', String(socket.body.websocket_token));
  const client = await subscribe(on.product().local.agents.wsUrl, websocketToken);
  client.send({ type: 'authenticate', token: birds.hatch('no token on the channel') });
  client.sendRaw(`{"type":"authenticate","token":"${birds.hatch('broken JSON on the channel')}"`);

  const endpoint = `${HOOK}?key=${birds.hatch('a query of a webhook', 'own')}`;
  const prompt = `Until when does the lease run? See https://u:${birds.hatch('a password in a prompt', 'own')}@a.org/`;
  on.world.answers(endpoint, reply(500, {}, birds.hatch('the answer of a receiver', 'own')));
  const chat = {
    namespace: 'n',
    delivery: { type: 'webhook', config: { endpoint } },
    // The record of a schema is an archive, with a signed URL.
    input: {
      type: 'chat',
      prompt,
      fileIds,
      outputSchema: { type: 'object', properties: { term: { type: 'string' } } },
    },
  };
  const { body: one } = await ask('files', { path: '/api/v1/tasks', headers: key, json: chat });
  await ask('files', { path: '/api/v1/webhooks/test', headers: key, json: { endpoint } });
  const refused = {
    ...chat,
    delivery: { type: 'webhook', config: { endpoint: `https://u:${birds.hatch('a password of a webhook')}@a.org/` } },
  };
  await ask('files', { path: '/api/v1/tasks', headers: key, json: refused });

  const documents = [
    { url: `https://files.customer-a.com/a.txt?sig=${birds.hatch('the query of a document', 'own')}` },
    { url: 'https://files.customer-a.com/none.txt' },
  ];
  const content = { recipients: ['a@errand-tests.org'], message: `Bring ${birds.hatch('words of a mail', 'own')}.` };
  const metadata = { order: birds.hatch('metadata', 'own') };
  const wishes = [
    {
      task_type: 'processing_agent',
      input: { documents, extraction_rules: ['dates'], output_format: 'xlsx' },
      metadata,
      webhook_url: endpoint,
    },
    // Refused at submit by its port.
    { task_type: 'processing_agent', input: { documents: [{ url: 'https://files.customer-a.com:22/x' }] } },
    { task_type: 'notification_agent', input: { notification_type: 'x', content } },
    { task_type: 'research_agent', input: { query: birds.hatch('a query', 'own') } },
    {
      task_type: 'research_agent',
      input: { query: 'x' },
      webhook_url: `https://u:${birds.hatch('a password of webhook_url')}@a.org/`,
    },
  ];
  const ids = [];
  for (const json of wishes)
    ids.push((await ask('agents', { path: '/api/v1/tasks', headers: person, json })).body.task_id);
  for (const id of ids.filter((each) => each !== undefined)) {
    const path = `/api/v1/tasks/${id}`;
    await until(async () =>
      /completed|failed/.test(String((await on.send('agents', { path, headers: person })).body.status)),
    );
    const { body } = await ask('agents', { path: `${path}/results`, headers: person }, ['the signature of a result']);
    const [file] = ((body.results as Record<string, unknown> | undefined)?.files ?? []) as { url: string }[];
    if (file) birds.ring('the signature of a result', signatureIn(file.url));
    if (file) await ask('files', { path: file.url.slice(new URL(file.url).origin.length) });
    await ask('agents', { path: `${path}/deliveries`, headers: person });
  }
  await until(
    async () => (await on.send('files', { path: `/api/v1/tasks/${one.taskId}`, headers: key })).body.completedAt,
  );
  const given = ['the signature of an archive'];
  for (const cancelled of [undefined, {}, {}]) {
    const path = `/api/v1/tasks/${one.taskId}${cancelled ? '/cancel' : ''}`;
    const headers = { ...key, 'idempotency-key': 'canary-cancel' };
    const { output } = (await ask('files', { path, headers, json: cancelled }, given)).body as Ended;
    birds.ring('the signature of an archive', signatureIn(output.archive.presignedUrl));
  }
  await unsubscribed({ on, birds, tenant, ask });
  client.close();
}

/** The link of a mail belongs to its reader. */
async function unsubscribed({ on, birds, ask }: Stage): Promise<void> {
  const folder = on.product().local.mail;
  const [name = ''] = readdirSync(folder);
  const raw = readFileSync(join(folder, name), 'utf8').replaceAll(/=?\r\n[ \t]?/g, '');
  const token = birds.ring('the link of a mail', /unsubscribe\/([\w.-]{40,})/.exec(raw)?.[1] ?? '');
  await ask('agents', { path: `/unsubscribe/${token}` }, ['the link of a mail']);
  await ask('agents', { path: `/unsubscribe/${token.slice(0, -2)}` }, ['the link of a mail']);
}

/** A model of the organization, whose server repeats the key in its refusal. */
async function modelWithKey({ on, birds, tenant, ask }: Stage): Promise<void> {
  const key = birds.hatch('the key of a model');
  const server = await stubServer(json({ error: { message: `Incorrect API key provided: ${key}` } }, 401));
  const connection = { provider: 'openai-compatible', url: `${server.address}/v1`, key } as const;
  await storeConnection(on.local, tenant.id, { name: 'ours', model: 'large', connection });
  await setModels(on.local.table, tenant.id, ['offline/extractive', 'ours/large']);
  const headers = bearer(tenant.apiKey);
  const delivery = { type: 'webhook', config: { endpoint: HOOK } };
  const body = { namespace: 'n', delivery, input: { type: 'chat', prompt: 'x', model: 'ours/large' } };
  // The product keeps the list of models for a moment.
  const taskId = await until(
    async () => (await ask('files', { path: '/api/v1/tasks', headers, json: body })).body.taskId,
  );
  const path = `/api/v1/tasks/${taskId}`;
  await until(async () => (await on.send('files', { path, headers })).body.completedAt);
  await ask('files', { path, headers });
  if (server.asked.length === 0) throw new Error('The model was not asked.');
  await server.close();
}

/** An internal error is logged in full, but without data from the request. */
async function brokenStorage({ on, birds, tenant, ask }: Stage): Promise<void> {
  const blobs = join(on.state, 'blobs');
  const headers = { ...bearer(tenant.apiKey), 'idempotency-key': birds.hatch('an idempotency key of a fault') };
  renameSync(blobs, `${blobs}.away`);
  writeFileSync(blobs, ''); // a file instead of the folder, so that every write fails
  const signed = `https://files.customer-a.com/b.txt?X-Amz-Signature=${birds.hatch('the signature of an address at a fault')}`;
  await ask('files', { path: '/api/v1/files', headers, json: { url: signed } });
  rmSync(blobs);
  renameSync(`${blobs}.away`, blobs);
}
