/** Webhooks through the whole product: the programs of the guide verify real deliveries, and a kill loses none. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { receiver } from '../../shared/webhooks/receiver.ts';
import { CHILD_ENVIRONMENT } from '../../support/child-environment.ts';
import { endWithParent } from '../../support/end-with-parent.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, '../../..');
const PROGRAM = /```(ts|python|sh) run\n([\s\S]*?)```/g;
const SOON = { timeout: 20_000, interval: 50 };
const WRONG = 'whsec_d3Jvbmcgc2VjcmV0LCBidXQgYSBzZWNyZXQgYWxsIHRoZSBzYW1l';

const guide = readFileSync(join(ROOT, 'docs/guides/webhooks.md'), 'utf8');
const programs = new Map([...guide.matchAll(PROGRAM)].map(([, language = '', text = '']) => [language, text]));
const folder = temporaryFolder();
const state = join(folder.path, 'state');
const started: ChildProcess[] = [];

let product: Running;
let secret = '';

beforeAll(async () => {
  product = await startLocalProduct(state, await freePort());
  secret = product.local.organizations[0]?.webhookSecret ?? '';
});
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  await product.stop();
  folder.remove();
});

async function api(path: string, json?: object) {
  const { baseUrl } = product.local.filesAndTasks;
  const response = await fetch(baseUrl + path, {
    headers: {
      authorization: `Bearer ${product.local.organizations[0]?.apiKey}`,
      ...(json ? { 'content-type': 'application/json' } : {}),
    },
    ...(json ? { method: 'POST', body: JSON.stringify(json) } : {}),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function task(endpoint: string): Promise<string> {
  const delivery = { type: 'webhook', config: { endpoint } };
  const { taskId } = await api('/tasks', { namespace: 'n', delivery, input: { type: 'chat', prompt: 'Grüße, 世界?' } });
  return String(taskId);
}

type Delivery = { deliveryId: string; state: string; attempts: { status: number | null; error: string | null }[] };

const waitForAttempts = (taskId: string, times = 1): Promise<Delivery> =>
  vi.waitFor(async () => {
    const [delivery] = (await api(`/tasks/${taskId}/deliveries`)).deliveries as Delivery[];
    if (!delivery || delivery.attempts.length < times) throw new Error('not yet');
    return delivery;
  }, SOON);

/** Runs a program of the guide until it says that it is ready. */
async function running(command: string, args: string[], env: Record<string, string>): Promise<void> {
  const child = endWithParent(
    spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  started.push(child);
  await once(child.stdout, 'data');
}

it('explains why a URL of this machine is refused', async () => {
  const fault = 'must name its port on this machine, such as http://127.0.0.1:4100/';
  for (const endpoint of ['http://127.0.0.1/', 'http://localhost?a=1']) {
    expect(await api('/webhooks/test', { endpoint })).toEqual({ error: `endpoint ${fault}` });
  }
  const delivery = { type: 'webhook', config: { endpoint: 'http://localhost/hook' } };
  const refused = await api('/tasks', { namespace: 'n', delivery, input: { type: 'chat', prompt: 'x' } });
  expect(refused).toEqual({ error: `delivery.config.endpoint ${fault}` });
  expect(await api('/webhooks/test', { endpoint: 'http://127.0.0.2/' })).toEqual({
    error: 'endpoint must be a public HTTPS URL',
  });
});

it('gives the guide a program for each language', () => {
  expect([...programs.keys()]).toEqual(['ts', 'python', 'sh']);
});

describe.each([
  ['ts', 'receiver.ts', process.execPath],
  ['python', 'receiver.py', 'python3'],
])('the receiver of the guide in %s', (language, name, command) => {
  const file = join(folder.path, name);
  const start = async (known: string): Promise<string> => {
    const port = String(await freePort());
    writeFileSync(file, programs.get(language) ?? '');
    await running(command, [file], { PORT: port, ERRAND_WEBHOOK_SECRET: known });
    return `http://127.0.0.1:${port}/hook`;
  };

  it('accepts a valid webhook', async () => {
    const { state: delivered, attempts } = await waitForAttempts(await task(await start(secret)));
    expect([delivered, attempts[0]?.status]).toEqual(['delivered', 200]);
  });

  it('refuses a webhook that was signed with another secret', async () => {
    const { state: delivered, attempts } = await waitForAttempts(await task(await start(WRONG)));
    expect([delivered, attempts[0]?.status]).toEqual(['pending', 401]);
  });

  it('refuses a webhook that was changed in transit', async () => {
    const to = await start(secret);
    const changed = await receiver((arrived, response) => {
      const headers = Object.fromEntries(Object.entries(arrived.headers).filter(([key]) => /^(webhook-|x-)/.test(key)));
      void fetch(to, { method: 'POST', headers: headers as Record<string, string>, body: `${arrived.body} ` }).then(
        ({ status }) => response.writeHead(status).end(),
      );
    });
    const { attempts } = await waitForAttempts(await task(changed.origin));
    expect(attempts[0]?.status).toBe(401);
    await changed.close();
  });
});

it('lets the guide verify a kept delivery in the shell, and Standard Webhooks by its own package', async () => {
  const kept = await receiver();
  await waitForAttempts(await task(kept.origin));
  const [{ headers = {}, body = '' } = {}] = kept.arrived;
  await kept.close();
  expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(JSON.parse(body));
  writeFileSync(join(folder.path, 'body.json'), body);
  const verify = (known: string, id = String(headers['webhook-id'])) =>
    spawnSync('sh', ['-c', programs.get('sh') ?? ''], {
      cwd: folder.path,
      encoding: 'utf8',
      env: {
        ...CHILD_ENVIRONMENT,
        ERRAND_WEBHOOK_SECRET: known,
        WEBHOOK_ID: id,
        WEBHOOK_TIMESTAMP: String(headers['webhook-timestamp']),
        WEBHOOK_SIGNATURE: String(headers['webhook-signature']),
      },
    });
  expect(verify(secret)).toMatchObject({ status: 0, stdout: 'ours\n' });
  expect(verify(WRONG)).toMatchObject({ status: 1, stdout: 'not ours\n' });
  expect(verify(secret, 'evt_other')).toMatchObject({ status: 1, stdout: 'not ours\n' });
});

it('sends the same content as a poll, and the same bytes when it is redelivered', async () => {
  const good = await receiver((_, response) => response.writeHead(202).end('thanks'));
  const taskId = await task(`${good.origin.replace('127.0.0.1', 'localhost')}/hook?x=1`);
  const { deliveryId, attempts } = await waitForAttempts(taskId);
  expect(attempts).toEqual([expect.objectContaining({ status: 202, error: null, answer: 'thanks' })]);
  await api(`/tasks/${taskId}/deliveries/${deliveryId}/redeliver`, {});
  await waitForAttempts(taskId, 2);
  const [first, second] = good.arrived;
  expect(JSON.parse(first?.body ?? '')).toEqual(await api(`/tasks/${taskId}`));
  expect([second?.body, second?.headers['webhook-id']]).toEqual([first?.body, deliveryId]);
  expect(first?.path).toBe('/hook?x=1');
  await good.close();
});

it('shows received webhooks on the command line, verified with the secrets of its state', async () => {
  const args = [join(ROOT, 'bin/errand.ts'), 'webhooks', 'listen', '--port', '0'];
  const listening = endWithParent(
    spawn(process.execPath, args, { env: product.env, stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  started.push(listening);
  let said = '';
  listening.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  const endpoint = await vi.waitFor(() => {
    const [found] = /http:\/\/127\.0\.0\.1:\d+\//.exec(said) ?? [];
    if (!found) throw new Error('not yet');
    return found;
  }, SOON);
  expect(await api('/webhooks/test', { endpoint })).toMatchObject({ status: 200, error: null });
  const forged = await fetch(endpoint, { method: 'POST', body: '{"a":"\u001b[31m"}' });
  expect(forged.status).toBe(401);
  listening.kill('SIGINT');
  expect(await once(listening, 'exit')).toEqual([0, null]);
  expect(said).toMatch(/webhook-id +evt_test_\S+\n +verified +webhook-signature, x-service-signature\n/);
  expect(said).toContain('no valid signature: returned 401');
  expect(said).not.toContain('\u001b');
  expect(said).toMatch(/verified +1\n +refused +1\n$/);
});

it('sends the same event again when the product is killed during a delivery', async () => {
  const first = Promise.withResolvers<void>();
  const slow = await receiver((_, response) => {
    // The first delivery gets no answer, so the sender is killed while it waits.
    if (slow.arrived.length === 1) first.resolve();
    else response.end();
  });
  const taskId = await task(slow.origin);
  await first.promise;
  product.process.kill('SIGKILL');
  await once(product.process, 'exit');
  product = await startLocalProduct(state, Number(new URL(product.local.filesAndTasks.baseUrl).port));
  await vi.waitFor(async () => expect((await waitForAttempts(taskId)).state).toBe('delivered'), SOON);
  expect(slow.arrived.map(({ headers }) => headers['webhook-id'])).toEqual([
    `evt_${taskId}_succeeded`,
    `evt_${taskId}_succeeded`,
  ]);
  expect(slow.arrived[1]?.body).toBe(slow.arrived[0]?.body);
  await slow.close();
});
