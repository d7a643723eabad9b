/** A model that is away for ten minutes: every accepted task waits for it, none fails, and each is delivered. */
import { generateText } from 'ai';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { modelGates } from '../../../engines/models/model-gates.ts';
import { models } from '../../../engines/models/models.ts';
import { openAiCompatible } from '../../../engines/models/openai-compatible.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { semaphore } from '../../../shared/core/semaphore.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { addressOfHint } from '../../../shared/tasks/hints.ts';
import type { TaskAddress } from '../../../shared/tasks/rows.ts';
import { worker } from '../../shared/tasks/setup.ts';
import { OK, openWebhooks, recordingPost, type WebhookSetup } from '../../shared/webhooks/setup.ts';
import { byConnection } from './by-connection.ts';
import { OPENAI, says } from './scripted-provider.ts';
import { json, type StubServer, stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const AWAY_MS = 10 * MINUTE;
const PER_ORGANIZATION = { crowd: 280, small: 10, other: 10 };
const INSTANCES = 2;
const SLOTS = 20;
/** How far the clock moves when there is nothing to do. */
const STEP_MS = SECOND;

let opened: WebhookSetup;
let server: StubServer;
let backAt: number;
/** The times of the requests that reached the model. */
let asked: number[];

beforeEach(async () => {
  opened = openWebhooks();
  backAt = opened.clock.now() + AWAY_MS;
  asked = [];
  const away = json({ error: { message: 'overloaded' } }, 529);
  const answer = OPENAI.stream(...says('In March.'));
  server = await stubServer((...request) => {
    asked.push(opened.clock.now());
    (opened.clock.now() < backAt ? away : answer)(...request);
  });
});
afterEach(async () => {
  await server.close();
  opened.close();
});

/** A process of its own, with what it knows of the model. */
function instance() {
  const { table, clock, ids } = opened;
  const provider = openAiCompatible({ baseUrl: `${server.address}/v1`, key: 'k', request: outbound() });
  const modelOf = models(
    byConnection({ openai: provider }),
    { wait: async () => undefined, chance: Math.random },
    { gates: modelGates({ table, clock, ids, chance: Math.random }) },
  );
  const stage: Stage = {
    name: 'answering',
    async run(work) {
      const model = await writtenBy(modelOf('openai/m', work));
      const { text } = await generateText({ model, prompt: 'When is it due?', maxRetries: 0 });
      return { text };
    },
  };
  return worker(opened, [stage]);
}

it('is waited for by 300 tasks over two instances, and asked seldom meanwhile', { timeout: 120_000 }, async () => {
  const { clock, queues } = opened;
  const tasks: TaskAddress[] = [];
  for (const [organization, count] of Object.entries(PER_ORGANIZATION)) {
    await opened.rotate(organization);
    for (let nth = 0; nth < count; nth++) tasks.push((await opened.accept({ organization })).address);
  }
  const instances = Array.from({ length: INSTANCES }, instance);
  const slots = semaphore({ capacity: SLOTS });
  const post = recordingPost(() => OK);
  const ended = new Set<string>();
  const begun = clock.now();

  const runHint = (body: string, nth: number) => {
    const address = addressOfHint(body) as TaskAddress;
    return slots.run({ organization: address.organization }, async () => instances[nth % INSTANCES]?.run(address));
  };
  const sendHint = async (body: string) => {
    const address = addressOfHint(body) as TaskAddress;
    ended.add(address.taskId);
    await opened.send(address, post);
  };
  while (ended.size < tasks.length) {
    const hints = await queues.lanes.normal.receive(10, 0);
    const events = await queues.webhooks.receive(10, 0);
    await Promise.all(hints.map(({ body }, nth) => runHint(body, nth)));
    await Promise.all(events.map(({ body }) => sendHint(body)));
    await queues.lanes.normal.done(hints.map(({ receipt }) => receipt));
    await queues.webhooks.done(events.map(({ receipt }) => receipt));
    if (hints.length + events.length === 0) clock.pass(STEP_MS);
    if (clock.now() > begun + AWAY_MS + 20 * MINUTE) break;
  }

  const ends = await Promise.all(tasks.map((address) => opened.task(address)));
  expect(ends.filter(({ state, failures }) => state === 'succeeded' && failures === 0)).toHaveLength(tasks.length);
  expect(new Set(post.sent.map(({ body }) => JSON.parse(body).taskId)).size).toBe(tasks.length);
  const duringOutage = asked.filter((at) => at < backAt);
  expect(duringOutage.length).toBeLessThan(60);
  expect(clock.now() - backAt).toBeLessThan(4 * MINUTE);
});
