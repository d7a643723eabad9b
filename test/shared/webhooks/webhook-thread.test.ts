/** The thread that posts webhooks, over real sockets: it gives the same results as posting in the main thread. */

import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { threadedWebhookSender } from '../../../engines/outbound/webhook-thread.ts';
import { logger } from '../../../shared/core/log.ts';
import { setClock } from '../../ports/clock.ts';
import { answered } from '../../support/post-answers.ts';
import { receiver } from './receiver.ts';

const MESSAGE = { headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"text":"ü"}' };
const lines: string[] = [];
const log = logger({ clock: setClock(), write: (line) => lines.push(line), minLevel: 'info' });

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

async function posterWithReceiver(...answer: Parameters<typeof receiver>) {
  const runningReceiver = await receiver(...answer);
  const sender = threadedWebhookSender({ ownHosts: ['127.0.0.1:9'] }, log);
  opened.push(sender.stop, runningReceiver.close);
  return { ...runningReceiver, ...sender };
}

it('sends the headers and the bytes over a kept connection, and returns each answer to its caller', async () => {
  const at = await posterWithReceiver(({ path }, response) => response.writeHead(202).end(`taken at ${path}`));
  const first = await at.post(`${at.origin}/0`, MESSAGE);
  expect(first).toEqual(answered(202, { answer: 'taken at /0' }));
  const paths = Array.from({ length: 30 }, (_, path) => `/${path}`);
  const posted = await Promise.all(paths.map((path) => at.post(at.origin + path, MESSAGE)));
  expect(posted.map((reply) => 'answer' in reply && reply.answer)).toEqual(paths.map((path) => `taken at ${path}`));
  expect(at.arrived[0]).toMatchObject({ path: '/0', body: MESSAGE.body, headers: MESSAGE.headers });
});

it('follows the rules of the local product, and forwards its log lines to the product', async () => {
  const at = await posterWithReceiver();
  expect(await at.post('http://127.0.0.1:9/', MESSAGE)).toEqual({ fault: 'blocked_target' });
  expect(await at.post('http://10.0.0.1/', MESSAGE)).toEqual({ fault: 'blocked_target' });
  expect(await at.post('http://127.0.0.1:1/', MESSAGE)).toEqual({ fault: 'unreachable' });
  expect(lines.filter((line) => line.includes('a webhook was not taken'))).toHaveLength(3);
});

it('takes no message of the watcher of npm run dev for an outcome', async () => {
  vi.stubEnv('WATCH_REPORT_DEPENDENCIES', '1');
  onTestFinished(() => void vi.unstubAllEnvs());
  const at = await posterWithReceiver((_, response) => response.end('taken'));
  expect(await at.post(at.origin, MESSAGE)).toMatchObject({ status: 200, answer: 'taken' });
});

it('stops and closes the connection when its caller aborts', async () => {
  let cut: () => void = () => undefined;
  const wasCut = new Promise<void>((resolve) => (cut = resolve));
  const control = new AbortController();
  const at = await posterWithReceiver((_, response) => {
    response.once('close', cut);
    control.abort(new Error('The product stops.'));
  });
  await expect(at.post(at.origin, MESSAGE, control.signal)).rejects.toThrow('The product stops.');
  await wasCut;
  await expect(at.post(at.origin, MESSAGE, control.signal)).rejects.toThrow('The product stops.');
});

it('rejects waiting calls when the thread ends, and starts another one with the next webhook', async () => {
  let ended: Promise<void> | undefined;
  const at = await posterWithReceiver((_, response) => {
    if (ended) response.end('taken');
    else ended = at.stop();
  });
  await expect(at.post(at.origin, MESSAGE)).rejects.toThrow('The thread that sends webhooks ended');
  expect(await at.post(at.origin, MESSAGE)).toMatchObject({ status: 200, answer: 'taken' });
});
