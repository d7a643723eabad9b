/** Valid submissions, and the complete list of faults of invalid ones. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Organization } from '../../../shared/accounts/organizations.ts';
import { STAGES, type TaskType } from '../../../shared/agents/agent-input.ts';
import { detailsKey, inputOf, type TaskDetails } from '../../../shared/tasks/details.ts';
import { taskKey } from '../../../shared/tasks/rows.ts';
import type { Task } from '../../../shared/tasks/task.ts';
import { type Api, addressOf, openApi, type Who } from './setup.ts';

let api: Api;
let who: Who;
beforeEach(() => {
  api = openApi();
  who = { organization: api.found() };
});
afterEach(() => api.close());

const post = (json: unknown) => api.call(who, 'POST', '/tasks', { json });

const RESEARCH = {
  query: 'How did port fees change?',
  research_type: 'market_analysis',
  sources: ['financial_reports', 'market_data', 'news_feeds'],
  geographic_scope: ['Europe'],
  depth: 'comprehensive',
  analysis_depth: 'detailed',
  deliverables: ['summary'],
  output_format: 'markdown',
};
const PROCESSING = {
  documents: [{ url: 'https://files.errand-tests.org/a.pdf', type: 'pdf' }],
  processing_type: 'extraction',
  extraction_rules: ['totals'],
  output_format: 'json',
};
describe('a budget in dollars', () => {
  const priced = 'openai/gpt-4o';
  const unpriced = 'openai/ours';
  const submit = (
    models: string[],
    organizationFields: object = {},
    budget: object = { max_usd: 1 },
    about: object = {},
  ) => {
    const organization = api.organizations.get(who.organization) as Organization;
    api.organizations.set(who.organization, { ...organization, models, ...organizationFields });
    return post({ task_type: 'research_agent', input: { query: 'q' }, ...about, budget });
  };

  it.each<[string, string[], object]>([
    ['the model', [unpriced], {}],
    ['the cheap model', [priced, unpriced], { roles: { cheap: unpriced } }],
  ])(
    'is refused if the price of %s is not known, with the name of the model',
    async (_which, models, organizationFields) => {
      const { status, body } = await submit(models, organizationFields);
      expect(status).toBe(400);
      expect(body.error.details).toMatchObject({
        invalid_fields: ['budget.max_usd'],
        reasons: {
          'budget.max_usd':
            'cannot be held, as the price of the model openai/ours is not known; limit the tokens, or name another model',
        },
      });
    },
  );

  it('of the organization for a month also refuses a model without a price, with the field', async () => {
    const limits = { 'monthly-usd': { most: 500 } };
    const { status, body } = await submit([priced, unpriced], { limits, roles: { cheap: unpriced } }, {});
    expect(status).toBe(400);
    expect(body.error.details.reasons['input.model']).toMatch(
      /^cannot be openai\/ours: its price is not known, .*monthly/,
    );
    expect((await submit([priced, unpriced], { limits, roles: {} }, {})).status).toBe(202);
  });

  const documents = [{ url: 'https://files.errand-tests.org/a.pdf' }];
  const read = (more: object) => ({ task_type: 'processing_agent', input: { documents, ...more } });
  const notice = { task_type: 'notification_agent', input: { content: { recipients: ['a@b.org'] } } };
  const schema = { type: 'object', properties: { total: { type: 'number' } } };

  it.each<[string, string | undefined, string | undefined, object]>([
    ['research', unpriced, unpriced, { task_type: 'research_agent', input: { query: 'q' } }],
    ['instructions', unpriced, undefined, read({ extraction_rules: ['dates', 'What is the rent?'] })],
    ['a schema', unpriced, undefined, read({ output_schema: schema })],
    ['summaries', unpriced, undefined, read({ processing_type: 'Summarization' })],
    ['classes', unpriced, undefined, read({ processing_type: 'classification' })],
    ['all named rules', undefined, undefined, read({})],
    ['a comparison', undefined, undefined, read({ processing_type: 'comparison' })],
    ['notifications', undefined, unpriced, notice],
  ])('requires the prices of the models that %s calls', async (_, strong, cheap, about) => {
    const limits = { 'monthly-usd': { most: 500 } };
    const models = [priced, unpriced];
    for (const [role, refused] of Object.entries({ strong, cheap })) {
      const roles = { strong: priced, cheap: priced, [role]: unpriced };
      const statuses = [
        (await submit(models, { roles, limits: {} }, { max_usd: 1 }, about)).status,
        (await submit(models, { roles, limits }, {}, about)).status,
      ];
      expect([role, statuses]).toEqual([role, refused ? [400, 400] : [202, 202]]);
    }
  });

  it('is accepted for models with a price and for the offline one, and a budget in tokens for all', async () => {
    for (const model of [priced, 'offline/extractive']) expect((await submit([model])).status).toBe(202);
    expect((await submit([unpriced], {}, { max_tokens: 1_000, max_usd: null })).status).toBe(202);
  });
});

it('refuses files that are not stored or belong to another organization, with the field', async () => {
  const documents = [{ file_id: 'x' }, { url: 'https://files.errand-tests.org/a.pdf' }, { file_id: api.ids.uuid() }];
  const { status, body } = await post({ task_type: 'processing_agent', input: { documents } });
  expect(status).toBe(400);
  expect(body.error.details.invalid_fields).toEqual([
    'input.documents.0.file_id',
    'input.documents.2.file_id',
    'input.documents',
  ]);
  const research = { query: 'What is the rent?', file_ids: ['x'] };
  const refused = await post({ task_type: 'research_agent', input: research });
  expect(refused.status).toBe(400);
  expect(refused.body.error.details.invalid_fields).toEqual(['input.file_ids.0', 'input.file_ids']);
});

it.each([
  ['include_domains', ['https://example.com'], 'input.include_domains.0', 'input.include_domains'],
  ['include_domains', ['*.example.com'], 'input.include_domains.0', 'input.include_domains'],
  ['exclude_domains', ['localhost'], 'input.exclude_domains.0', 'input.exclude_domains'],
  ['time_range', 'decade', 'input.time_range'],
  ['time_range', {}, 'input.time_range'],
  ['time_range', { from: '2026-02-30' }, 'input.time_range.from'],
  ['time_range', { from: '2026-03-02', to: '2026-03-01' }, 'input.time_range'],
  ['language', 'german', 'input.language'],
  ['file_ids', 'x', 'input.file_ids'],
])('refuses a research whose %s is %j', async (field, value, ...invalid) => {
  const { status, body } = await post({ task_type: 'research_agent', input: { query: 'Rents?', [field]: value } });
  expect(status).toBe(400);
  expect(body.error.details.invalid_fields).toEqual(invalid);
});

it.each([
  ['include_domains', ['Example.com', 'bücher.example']],
  ['exclude_domains', []],
  ['time_range', 'Week'],
  ['time_range', { from: '2026-02-28', to: null }],
  ['language', 'DE'],
  ['file_ids', null],
])('accepts a research whose %s is %j', async (field, value) => {
  const { status, body } = await post({ task_type: 'research_agent', input: { query: 'Rents?', [field]: value } });
  expect([status, body.warnings]).toEqual([202, []]);
});

const NOTIFICATION = {
  notification_type: 'digest',
  schedule: { frequency: 'weekly', day_of_week: 'monday', time: '09:00:00', timezone: 'Europe/Berlin' },
  content: { data_sources: ['market_data'], recipients: ['a@b.org'], format: 'html', include_charts: true },
};
const INPUTS = { research_agent: RESEARCH, processing_agent: PROCESSING, notification_agent: NOTIFICATION };

it('answers with exactly the fields of the specification', async () => {
  const json = { task_type: 'research_agent', input: RESEARCH, priority: 9, metadata: { order: '7' } };
  const { status, body, headers } = await post({ ...json, webhook_url: 'https://hooks.errand-tests.org/x' });
  expect(status).toBe(202);
  expect(body).toEqual({
    task_id: expect.stringMatching(/^task_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    status: 'accepted',
    task_type: 'research_agent',
    priority: 9,
    estimated_completion: '2026-06-01T12:03:00.000Z',
    created_at: '2026-06-01T12:00:00.000Z',
    webhook_configured: true,
    metadata: { order: '7' },
    warnings: [],
  });
  expect(headers['ratelimit-policy']).toMatch(/"minute";q=\d+;w=60, "hour";q=\d+;w=3600/);
});

it.each(Object.entries(INPUTS))('stores all fields of the request of a %s, and nothing else', async (type, input) => {
  const id = await api.submitted(who, {
    task_type: type,
    input: { ...input, surprise: 1, content: 'content' in input ? { ...input.content, more: 2 } : undefined },
    timeout_minutes: 240,
    unheard_of: true,
  });
  const address = addressOf(who, id);
  const about = await api.table.get<TaskDetails>(detailsKey(address));
  const storedValue = await inputOf<{ asked: object; model: string }>(api.table, address, about?.value);
  expect(storedValue).toEqual({ asked: input, model: 'offline/extractive', ownHosts: [] });
  expect(Object.keys(about?.value ?? {}).sort()).toEqual(['by', 'input', 'metadata', 'warnings']);
  const task = await api.table.get<Task>(taskKey(address));
  const [stage] = STAGES[type as TaskType];
  expect(task?.value).toMatchObject({ type, priority: 5, timeoutMs: 240 * 60_000, stage });
});

describe('the model', () => {
  const storedInput = async (input: object) => {
    const id = await api.submitted(who, { input: { query: 'q', ...input } });
    const address = addressOf(who, id);
    const about = await api.table.get<TaskDetails>(detailsKey(address));
    const { ownHosts: _, ...stored } = (await inputOf<{ ownHosts: string[] }>(api.table, address, about?.value)) ?? {};
    return stored;
  };
  const setOrganization = (changes: object) => {
    const organization = api.organizations.get(who.organization);
    if (organization) api.organizations.set(who.organization, { ...organization, ...changes });
  };
  const models = ['offline/extractive', 'openai/large', 'openai/small'];

  it('is the default of the organization, or another one for each role', async () => {
    setOrganization({ models });
    expect(await storedInput({})).toEqual({ asked: { query: 'q' }, model: 'offline/extractive' });
    setOrganization({ models, roles: { strong: 'openai/large', cheap: 'openai/small' } });
    expect(await storedInput({})).toEqual({ asked: { query: 'q' }, model: 'openai/large', cheapModel: 'openai/small' });
    setOrganization({ models: ['openai/small'], roles: { strong: 'openai/large', cheap: 'openai/small' } });
    expect(await storedInput({})).toMatchObject({ model: 'openai/small', cheapModel: 'openai/small' });
  });

  it('has a second one for long outages where the operator names one, unless a budget in dollars cannot count it', async () => {
    const standby = 'openai/small';
    setOrganization({ models, roles: { strong: 'openai/large', standby } });
    expect(await storedInput({})).toMatchObject({ model: 'openai/large', standbyModel: standby });
    expect(await storedInput({ model: standby })).not.toHaveProperty('standbyModel');
    setOrganization({ models: ['openai/gpt-4o', standby], roles: { standby }, limits: { 'monthly-usd': { most: 5 } } });
    expect(await storedInput({})).toEqual({ asked: { query: 'q' }, model: 'openai/gpt-4o' });
  });

  it('is the one in the request, for the whole task, with the effort', async () => {
    setOrganization({ models, roles: { strong: 'openai/large', cheap: 'openai/small' } });
    const choice = { model: 'openai/small', reasoning_effort: 'high' };
    expect(await storedInput(choice)).toEqual({ asked: { query: 'q', ...choice }, model: 'openai/small' });
  });

  it.each([
    ['input.model', { model: 'openai/unknown' }],
    ['input.model', { model: '' }],
    ['input.reasoning_effort', { reasoning_effort: 'extreme' }],
  ])('is refused with the field %s: %j', async (field, more) => {
    const { status, body } = await post({ task_type: 'research_agent', input: { query: 'q', ...more } });
    expect([status, body.error.details.invalid_fields]).toEqual([400, [field]]);
  });
});

const REQUIRED = {
  research_agent: { query: 'q' },
  processing_agent: { documents: [{ url: 'https://a.errand-tests.org/' }] },
  notification_agent: { content: { recipients: ['a@b.org'] } },
};

it.each(Object.entries(REQUIRED))('accepts the minimal request of a %s', async (task_type, input) => {
  const reply = await post({ task_type, input, priority: null, metadata: null, webhook_url: null });
  expect([reply.status, reply.body.priority, reply.body.metadata]).toEqual([202, 5, {}]);
  expect(reply.body.webhook_configured).toBe(false);
});

const research = (more: object) => ({ task_type: 'research_agent', input: { query: 'q', ...more } });
const processing = (input: object) => ({ task_type: 'processing_agent', input });
const notification = (schedule: object | null, content: object = {}) => ({
  task_type: 'notification_agent',
  input: { schedule, content: { recipients: ['a@b.org'], ...content } },
});
const head = (more: object) => ({ ...research({}), ...more });
const many = (length: number) => Array.from({ length }, (_, at) => String(at));
const pages = (length: number) => many(length).map((name) => ({ url: `https://a.errand-tests.org/${name}` }));

const FAULTS: [fields: string[], body: object][] = [
  [['task_type', 'input'], {}],
  [['task_type'], { task_type: 'cleaning_agent', input: {} }],
  [['task_type', 'input'], { task_type: 7, input: [] }],
  [['input'], { task_type: 'research_agent' }],
  [['input'], { task_type: 'research_agent', input: null }],
  [['input'], { task_type: 'research_agent', input: 'q' }],
  ...[0, 11, 1.5, '5', true, Number.MAX_VALUE].map((priority): [string[], object] => [
    ['priority'],
    head({ priority }),
  ]),
  ...[0, 241, 0.5, '60'].map((minutes): [string[], object] => [
    ['timeout_minutes'],
    head({ timeout_minutes: minutes }),
  ]),
  ...[
    'http://a.errand-tests.org/',
    'https://10.0.0.1/',
    'https://localhost/',
    'https://u:p@a.errand-tests.org/',
    'x',
    '',
    7,
    {},
  ].map((url): [string[], object] => [['webhook_url'], head({ webhook_url: url })]),
  ...[[], 'x', Object.fromEntries(many(17).map((key) => [key, 'x']))].map((metadata): [string[], object] => [
    ['metadata'],
    head({ metadata }),
  ]),
  ...[1, null, {}, 'x'.repeat(513), '\u{1f600}'.repeat(513)].map((a): [string[], object] => [
    ['metadata.a'],
    head({ metadata: { a, b: 'x' } }),
  ]),
  [[`metadata.${'k'.repeat(48)}…`], head({ metadata: { ['k'.repeat(65)]: 'x' } })],
  [['metadata.a?b'], head({ metadata: { 'a\u0000b': 1 } })],
  ...['', ' ', 7, null, 'x'.repeat(10_001)].map((query): [string[], object] => [['input.query'], research({ query })]),
  [['input.sources.1', 'input.sources'], research({ sources: ['market_data', 'gossip'] })],
  [['input.sources'], research({ sources: 'market_data' })],
  [['input.geographic_scope'], research({ geographic_scope: many(51) })],
  [['input.deliverables.0', 'input.deliverables'], research({ deliverables: [''] })],
  [
    ['input.depth', 'input.analysis_depth', 'input.research_type'],
    research({ depth: 1, analysis_depth: {}, research_type: 'x'.repeat(201) }),
  ],
  [['input.output_format'], research({ output_format: 7 })],
  [['input.output_format'], research({ output_format: 'x'.repeat(201) })],
  [['input.documents'], processing({})],
  [['input.documents'], processing({ documents: [] })],
  [['input.documents'], processing({ documents: pages(51) })],
  [['input.documents.0', 'input.documents'], processing({ documents: ['https://a.errand-tests.org/'] })],
  [
    ['input.documents.1.url', 'input.documents.2.type', 'input.documents'],
    processing({ documents: [...pages(1), { url: 'http://a.errand-tests.org/' }, { ...pages(1)[0], type: 7 }] }),
  ],
  [['input.documents.0.url', 'input.documents'], processing({ documents: [{}] })],
  ...[
    'https://192.168.0.1/a.pdf',
    'https://intranet/a.pdf',
    'https://files.local/a.pdf',
    'https://a.org:6379/a.pdf',
  ].map((url): [string[], object] => [
    ['input.documents.0.url', 'input.documents'],
    processing({ documents: [{ url }] }),
  ]),
  [['input.extraction_rules.0', 'input.extraction_rules'], processing({ documents: pages(1), extraction_rules: [7] })],
  [['input.extraction_rules'], processing({ documents: pages(1), extraction_rules: many(51) })],
  [
    ['input.extraction_rules', 'input.output_format', 'input.processing_type'],
    processing({ documents: pages(1), extraction_rules: 'dates', output_format: ' ', processing_type: '' }),
  ],
  [['input.content.recipients'], { task_type: 'notification_agent', input: {} }],
  [['input.content.recipients'], { task_type: 'notification_agent', input: { content: null } }],
  [['input.content'], { task_type: 'notification_agent', input: { content: 'x' } }],
  [
    ['input.notification_type', 'input.content.subject'],
    {
      task_type: 'notification_agent',
      input: {
        notification_type: 'digest\r\nBcc: x@y.org',
        content: { subject: 'Board\u2028Bcc: x@y.org', recipients: ['a@b.org'] },
      },
    },
  ],
  [['input.content.recipients'], notification(null, { recipients: [] })],
  [
    ['input.content.recipients.1', 'input.content.recipients'],
    notification(null, { recipients: ['a@b.org', 'nobody'] }),
  ],
  [['input.content.recipients'], notification(null, { recipients: many(101).map((name) => `${name}@b.org`) })],
  [
    [
      'input.content.data_sources.0',
      'input.content.data_sources',
      'input.content.format',
      'input.content.include_charts',
    ],
    notification(null, { data_sources: ['x'], format: ['pdf'], include_charts: 'yes' }),
  ],
  [
    ['input.schedule.frequency', 'input.schedule.day_of_week', 'input.schedule.time', 'input.schedule.timezone'],
    notification({ frequency: 'hourly', day_of_week: 'Moonday', time: '9:00', timezone: 'Mars/Olympus' }),
  ],
  // The models of the organization are offline, so that nobody could judge a sentence.
  [['input.content.condition'], notification(null, { condition: 'A port is closed.' })],
  [['input.content.condition'], notification(null, { condition: { figure: 'Euribor', abve: 3 } })],
  [['input.content.condition'], notification(null, { condition: { figure: 'Euribor', above: 3 }, message: 'Hello.' })],
  [['input.schedule.frequency'], notification({})],
  [['input.schedule.frequency'], notification({ frequency: null })],
  [['input.schedule.frequency'], notification({ time: '10:00:00' })],
  [['input.schedule.frequency', 'input.schedule.cron'], notification({ cron: '0 9 * * 1', timezone: 'Europe/Berlin' })],
  [['input.schedule.frequency', 'input.schedule.frequncy'], notification({ frequncy: 'weekly', time: '09:00:00' })],
  [['input.schedule.tiem'], notification({ frequency: 'daily', tiem: '09:00:00' })],
  [[`input.schedule.${'k'.repeat(48)}…`], notification({ frequency: 'daily', ['k'.repeat(1_000)]: 1 })],
  [['input.schedule.time'], notification({ frequency: 'once', time: '24:00:00' })],
  [['input.schedule.timezone'], notification({ frequency: 'once', timezone: '+02:00' })],
  [['input.schedule.day_of_month'], notification({ frequency: 'monthly', day_of_month: 32 })],
  [['input.schedule.day_of_week'], notification({ frequency: 'once', day_of_week: 'monday', time: '10:00:00' })],
  [['input.schedule.day_of_week'], notification({ frequency: 'daily', day_of_week: 'monday' })],
  [['input.schedule.day_of_month'], notification({ frequency: 'once', day_of_month: 3 })],
  [
    ['input.schedule.day_of_week', 'input.schedule.day_of_month'],
    notification({ frequency: 'weekly', day_of_month: 3 }),
  ],
  [
    ['priority', 'input.query', 'input.sources.0', 'input.sources', 'webhook_url', 'metadata', 'timeout_minutes'],
    {
      task_type: 'research_agent',
      priority: -1,
      input: { sources: [1] },
      webhook_url: 'https://192.168.1.1/',
      metadata: 3,
      timeout_minutes: 'long',
    },
  ],
];

describe('refuses a request with all invalid fields at once', () => {
  it.each(FAULTS)('%j', async (fields, json) => {
    const { status, body } = await post(json);
    expect(status).toBe(400);
    expect(Object.keys(body)).toEqual(['error']);
    const { error } = body;
    expect(Object.keys(error)).toEqual(['code', 'message', 'details', 'request_id', 'timestamp']);
    expect(error.code).toBe('TASK_VALIDATION_FAILED');
    expect(error.details.invalid_fields.toSorted()).toEqual(fields.toSorted());
    expect(error.details.valid_task_types).toEqual(Object.keys(INPUTS));
    expect(error.details.valid_sources).toEqual(RESEARCH.sources);
    // Error messages never repeat the submitted text.
    for (const reason of Object.values(error.details.reasons)) expect(reason).not.toMatch(/received|Invalid/);
  });
});

const at = (...addresses: unknown[]) => notification(null, { recipients: ['a@b.org', 'b@b.org', ...addresses] });

describe('explains an invalid field', () => {
  const url = `https://a.errand-tests.org/${'x'.repeat(2_048)}`;
  it.each<[field: string, reason: string | RegExp, body: object]>([
    ['input', 'is required', { task_type: 'research_agent' }],
    ['input', 'is required', { task_type: 'research_agent', input: null }],
    ['input', 'must be an object', { task_type: 'research_agent', input: 'x' }],
    ['input', 'must be an object', { task_type: 'research_agent', input: [] }],
    ['input.content', 'must be an object', { task_type: 'notification_agent', input: { content: 'x' } }],
    ['input.content.recipients', 'is required', { task_type: 'notification_agent', input: {} }],
    ['input.documents.1', 'must be an object', processing({ documents: [...pages(1), 'https://a.errand-tests.org/'] })],
    ['input.documents.1', 'must be an object', processing({ documents: [...pages(1), []] })],
    ['input.content.recipients.2', /^must be an e-mail address/, at('nobody')],
    ['input.content.recipients.2', /at most 64 characters before its @$/, at(`${'x'.repeat(65)}@c.org`)],
    ['input.content.recipients.2', 'must be a string', at(7)],
    ['input.sources.1', /^must be one of /, research({ sources: ['market_data', 'gossip'] })],
    ['metadata.a', 'must be a string', head({ metadata: { a: 7 } })],
    ['metadata.a', 'must have at most 512 characters', head({ metadata: { a: 'x'.repeat(513) } })],
    ['webhook_url', 'must have at most 2048 characters', head({ webhook_url: url })],
    ['webhook_url', 'must be a public HTTPS URL', head({ webhook_url: 'https://10.0.0.1/' })],
    ['webhook_url', 'must be a public HTTPS URL', head({ webhook_url: 'http://127.0.0.1/' })],
    ['input.documents', 'must have at least 1 entry', processing({ documents: [] })],
    [
      'input.content.include_charts',
      'needs data_sources: an e-mail of a message alone has no figures to draw',
      notification(null, { message: 'See you at ten.', include_charts: true }),
    ],
    [
      'input.output_schema.properties.code.format',
      'must be one of date, date-time, email, uri',
      research({ output_schema: { type: 'object', properties: { code: { type: 'string', format: 'uuid' } } } }),
    ],
    [
      'input.output_schema.type',
      'must be "object", or "array" for a record of each entity',
      research({ output_schema: { type: 'string' } }),
    ],
    ['input.accept.0', /^must be one of proven/, research({ accept: ['guessed'] })],
    ['input.on_missing', 'must be one of null, fail', research({ on_missing: 'stop' })],
    [
      'input.schedule.day_of_week',
      'goes with the frequency weekly only',
      notification({ frequency: 'once', day_of_week: 'monday' }),
    ],
    ['input.schedule.frequency', 'is required', notification({})],
    [
      'input.schedule.tiem',
      'is not a field of a schedule; did you mean time?',
      notification({ frequency: 'daily', tiem: '09:00:00' }),
    ],
    ['input.documents.0.url', 'must be a public HTTPS URL', processing({ documents: [{ url: 'https://10.0.0.1/' }] })],
  ])('%s: %s', async (field, reason, json) => {
    const { status, body } = await post(json);
    const { invalid_fields, reasons } = body.error.details;
    expect([status, invalid_fields[0], Object.keys(reasons)]).toEqual([400, field, [field]]);
    expect(reasons[field]).toEqual(typeof reason === 'string' ? reason : expect.stringMatching(reason));
  });
});

it('lists ten invalid entries of a list, and counts the others', async () => {
  const { body } = await post(at(...Array.from({ length: 14 }, () => 7)));
  const { invalid_fields, reasons } = body.error.details;
  const invalidFields = Array.from({ length: 10 }, (_, nth) => `input.content.recipients.${nth + 2}`);
  expect(invalid_fields).toEqual([...invalidFields, 'input.content.recipients']);
  expect(reasons['input.content.recipients']).toBe('has 4 more invalid entries');
});

it('lists at most a hundred invalid fields', async () => {
  const { body } = await post(processing({ documents: Array.from({ length: 20_000 }, () => ({})) }));
  expect(body.error.details.invalid_fields.length).toBeLessThanOrEqual(100);
});

it('keeps all metadata, whatever its keys are called', async () => {
  const wide = '\u{1f600}'.repeat(512);
  const metadata = JSON.parse(`{"__proto__":"a","constructor":"b","":"c","${'\u{1f600}'.repeat(64)}":"${wide}"}`);
  const { text, body } = await post(head({ metadata }));
  expect(text).toContain(`"metadata":${JSON.stringify(metadata)}`);
  expect((await api.call(who, 'GET', `/tasks/${body.task_id}`)).text).toContain('"__proto__":"a"');
});

it('creates one task when a submit is repeated with its idempotency key', async () => {
  const once = () => api.call(who, 'POST', '/tasks', { json: head({}), headers: { 'idempotency-key': 'k' } });
  const [first, second] = [await once(), await once()];
  expect([second.status, second.headers['idempotent-replayed'], second.body]).toEqual([202, 'true', first.body]);
  const other = await api.call(who, 'POST', '/tasks', {
    json: head({ priority: 1 }),
    headers: { 'idempotency-key': 'k' },
  });
  expect([other.status, other.body.error.code]).toEqual([422, 'IDEMPOTENCY_CONFLICT']);
  expect((await api.call(who, 'GET', '/tasks')).body.pagination.total_count).toBe(1);
});

it('refuses a task of an organization at its maximum of unfinished tasks', async () => {
  const full = { organization: api.found({ 'unfinished-tasks': { most: 2 } }) };
  await api.submitted(full);
  await api.submitted(full);
  const reply = await api.call(full, 'POST', '/tasks', { json: head({}) });
  expect([reply.status, reply.body.error.code, reply.headers['retry-after']]).toEqual([
    503,
    'INSUFFICIENT_RESOURCES',
    '60',
  ]);
  expect(reply.body.error.details).toEqual({});
  await api.submitted(who);
});
