/** Bodies that both APIs refuse before anything walks or stores them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiName, type Apis, openApis } from './setup.ts';

let apis: Apis;
let organization: string;
beforeAll(async () => {
  apis = await openApis();
  organization = apis.found();
});
afterAll(() => apis.close());

const URL = 'https://a.errand-tests.org/x';

const TASKS: Record<ApiName, (more: object, input: object) => object> = {
  'files-and-tasks': (more, input) => ({
    namespace: 'n',
    delivery: { type: 'webhook', config: { endpoint: URL } },
    input: { type: 'chat', prompt: 'p', model: 'offline/extractive', ...input },
    ...more,
  }),
  agents: (more, input) => ({
    task_type: 'processing_agent',
    input: { documents: [{ url: URL, type: 'pdf' }], ...input },
    ...more,
  }),
};

const objects = (depth: number): unknown =>
  JSON.parse(`${'{"type":"object","properties":{"a":'.repeat(depth)}{"type":"string"}${'}}'.repeat(depth)}`);
const arrays = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));

describe.each(['files-and-tasks', 'agents'] as const)('%s', (apiName) => {
  const schemaName = apiName === 'agents' ? 'output_schema' : 'outputSchema';

  async function submit(more: object, input: object = {}, body = JSON.stringify(TASKS[apiName](more, input))) {
    const reply = await apis.ask({
      apiName,
      organization,
      method: 'POST',
      path: '/api/v1/tasks',
      body: Buffer.from(body),
    });
    return { status: reply.status, text: reply.body };
  }

  it('takes the task that the others are made from', async () => {
    expect((await submit({}, { [schemaName]: objects(3) })).status).toBeLessThan(300);
  });

  it.each([
    ['a schema with a default of 200,000 arrays', '"default":', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
    ['a schema of 10,000 objects', '"properties":', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ])('refuses %s in words', async (_, key, value) => {
    const whole = JSON.stringify(TASKS[apiName]({}, { [schemaName]: { type: 'object', x: 0 } }));
    const { status, text } = await submit({}, {}, whole.replace('"x":0', `${key}${value}`));
    expect([status, text]).toEqual([400, expect.stringContaining('nested more than 100 objects and arrays deep')]);
  });

  it('counts the depth outside of strings only', async () => {
    const words = `${'[{'.repeat(200)}\\"${'[{'.repeat(200)}`;
    const whole = JSON.stringify(TASKS[apiName]({ metadata: { deep: 'x' } }, {})).replace(
      '"deep":"x"',
      `"deep":"${words}"`,
    );
    expect((await submit({}, {}, whole)).text).not.toContain('nested');
    expect((await submit({ metadata: { deep: arrays(101) } })).text).toContain('nested');
  });

  it.each([[[]], ['x'], [1]])('refuses the budget %j', async (budget) => {
    const { status, text } = await submit({ budget });
    expect([status, text]).toEqual([400, expect.stringContaining('must be an object')]);
  });
});
