/** `include=title`: the prompts of listed tasks, on both APIs. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { titleIn } from '../../../shared/tasks/title.ts';
import { storeText } from '../../shared/files/setup.ts';
import { type ApiName, type Apis, openApis } from './setup.ts';

let apis: Apis;
let organization: string;
beforeEach(async () => {
  apis = await openApis();
  organization = apis.found();
});
afterEach(() => apis.close());

async function ask(face: ApiName, method: string, path: string, json?: object) {
  const body = json === undefined ? {} : { body: Buffer.from(JSON.stringify(json)) };
  const reply = await apis.ask({ apiName: face, organization, method, path: `/api/v1${path}`, ...body });
  return { status: reply.status, body: JSON.parse(String(reply.body)) };
}

const prompt = (text: string) =>
  ask('files-and-tasks', 'POST', '/tasks', {
    delivery: { type: 'webhook', config: { endpoint: 'https://hooks.errand-tests.org/x' } },
    input: { type: 'chat', prompt: text },
    namespace: 'titles',
  });
const titlesOf = async (face: ApiName) =>
  (await ask(face, 'GET', '/tasks?include=title')).body.tasks.map(({ title }: { title: string }) => title);

it('shows the beginning of each prompt, of a long one too', async () => {
  const long = `When is the rent due?\n\n${'Mind every clause of the lease. '.repeat(200)}`;
  for (const text of ['  Until when\n does it run? ', long]) {
    expect((await prompt(text)).status).toBe(201);
    apis.clock.pass(1);
  }
  const [second, first] = await titlesOf('files-and-tasks');
  expect(first).toBe('Until when does it run?');
  expect(second).toMatch(/^When is the rent due\? Mind every clause.*…$/);
  expect(second).toHaveLength(120);
});

it('shows the query, the documents and the subject of agent tasks', async () => {
  const store = (fileName: string) => storeText(apis, organization, { fileName, text: 'x' });
  const [lease, plan] = [await store('lease.txt'), await store('plan.txt')];
  const inputs = [
    ['research_agent', { query: 'How did port fees change?' }],
    ['processing_agent', { documents: [{ url: 'https://a.errand-tests.org/in/an%20invoice.pdf' }] }],
    ['processing_agent', { documents: ['a', 'b', 'c'].map((name) => ({ url: `https://a.errand-tests.org/${name}` })) }],
    ['processing_agent', { documents: [{ file_id: lease }] }],
    [
      'processing_agent',
      { documents: [{ file_id: lease }, { url: 'https://a.errand-tests.org/b' }, { file_id: plan }] },
    ],
    ['notification_agent', { content: { recipients: ['a@errand-tests.org'], subject: 'Ports today' } }],
    [
      'notification_agent',
      { content: { recipients: ['a@errand-tests.org', 'b@errand-tests.org'] }, notification_type: 'daily_report' },
    ],
    ['notification_agent', { content: { recipients: ['a@errand-tests.org'] } }],
  ] as const;
  for (const [task_type, input] of inputs) {
    expect((await ask('agents', 'POST', '/tasks', { task_type, input })).status).toBe(202);
    apis.clock.pass(1);
  }
  const documents = ['an invoice.pdf', 'a and 2 more', 'lease.txt', 'lease.txt and 2 more'];
  const mails = ['Ports today', 'Daily report to a@errand-tests.org and 1 more', 'Digest to a@errand-tests.org'];
  const titles = ['How did port fees change?', ...documents, ...mails];
  expect(await titlesOf('agents')).toEqual(titles.toReversed());
});

it('leaves the lists as they are without it, and rejects what else is asked to be included', async () => {
  await prompt('Until when?');
  await ask('agents', 'POST', '/tasks', { task_type: 'research_agent', input: { query: 'Fees?' } });
  for (const face of ['files-and-tasks', 'agents'] as const) {
    const [task] = (await ask(face, 'GET', '/tasks')).body.tasks;
    expect(task).not.toHaveProperty('title');
    expect((await ask(face, 'GET', '/tasks?include=input')).status).toBe(400);
  }
});

it('counts stored files whose names it does not have', () => {
  const documents = [{ file_id: 'a' }, { file_id: 'b' }];
  expect(titleIn({ asked: { documents } })).toBe('A stored file and 1 more');
  expect(titleIn({ asked: { documents: documents.slice(1) } })).toBe('A stored file');
});

it('is empty for an input that says nothing', () => {
  for (const input of [undefined, null, {}, { prompt: '  ' }, { asked: {} }]) expect(titleIn(input)).toBeUndefined();
  expect(titleIn({ asked: { documents: [{ url: 'https://a.org/%zz' }] } })).toBe('%zz');
});
