import { describe, expect, it } from 'vitest';
import { AGENT_FORMS, fieldsOf, promptForm } from '../../console/form/agent-forms.ts';
import { bodyOf } from '../../console/form/field-spec.ts';
import { documentsTitle, fileNames, headingOf } from '../../console/form/request-summary.ts';
import { fileIdsIn, filledForm, keptNames } from '../../console/form/stored-input.ts';

const FILE_ID = '01a1fc1f-dc5b-7062-a1d5-0ff65b8f6e23';

const fieldsOfType = (type: string) => {
  const form = AGENT_FORMS.find((each) => each.type === type);
  if (!form) throw new Error(`There is no form for ${type}.`);
  return fieldsOf(form);
};

const BODIES = {
  research_agent: {
    task_type: 'research_agent',
    priority: 7,
    timeout_minutes: 20,
    budget: { max_tokens: 5_000 },
    webhook_url: 'https://hooks.acme.org/x',
    metadata: { order: '2041', site: 'http://x:1' },
    input: {
      query: 'Why?\nAnd when?',
      sources: ['market_data'],
      file_ids: [FILE_ID],
      depth: 'overview',
      output_format: 'pdf',
      deliverables: ['risks', 'Who pays'],
      include_domains: ['acme.org'],
      time_range: { from: '2026-01-01' },
    },
  },
  processing_agent: {
    task_type: 'processing_agent',
    input: {
      documents: [{ url: 'https://files.acme.org/a.pdf' }, { file_id: FILE_ID }],
      extraction_rules: ['dates', 'Who signed?'],
      output_schema: { type: 'object', properties: { total: { type: 'number' } } },
      on_missing: 'fail',
    },
  },
  notification_agent: {
    task_type: 'notification_agent',
    input: {
      notification_type: 'report',
      content: { recipients: ['ann@acme.org', 'bob@acme.org'], include_charts: true, data_sources: ['news_feeds'] },
      schedule: { frequency: 'weekly', day_of_week: 'monday', time: '07:00:00', timezone: 'Europe/Berlin' },
    },
  },
};

const alert = (condition: unknown) => ({
  task_type: 'notification_agent',
  input: { content: { recipients: ['ann@acme.org'], instructions: 'Ports first.', condition } },
});

describe('a form filled with a stored input', () => {
  it.each([
    ...Object.values(BODIES),
    alert('A port is closed.'),
    alert({ figure: 'US dollar', above: 1.05, below: 1.2, source: 'market_data' }),
    alert({ figure: 'US dollar', below: -3 }),
  ])('submits the same body again for a $task_type, also what it has no field for', (body) => {
    const fields = fieldsOfType(body.task_type);
    const { start, values, changed } = filledForm(body, fields);
    expect(bodyOf(start, fields, values)).toEqual(body);
    expect(changed).toEqual([]);
  });

  it('submits the same prompt again', () => {
    const body = {
      namespace: 'leases',
      delivery: { type: 'webhook', config: { endpoint: 'https://hooks.acme.org/x' } },
      input: { type: 'chat', prompt: 'Until when?', model: 'offline/x', fileIds: [FILE_ID], reasoningEffort: 'low' },
      budget: { maxTokens: 5_000 },
    };
    const fields = fieldsOf(promptForm({ models: ['offline/x'] }));
    const { start, values } = filledForm(body, fields);
    expect(bodyOf(start, fields, values)).toEqual(body);
    expect(fileIdsIn(values, fields)).toEqual([FILE_ID]);
  });

  it('leaves out a field that is emptied, and names what it keeps without a field', () => {
    const fields = fieldsOfType('research_agent');
    const { start, values } = filledForm(BODIES.research_agent, fields);
    const body = bodyOf(start, fields, { ...values, 'input.sources': '', webhook_url: '' });
    expect(body).not.toHaveProperty('input.sources');
    expect(body).not.toHaveProperty('webhook_url');
    expect(keptNames(start)).toEqual(['include_domains', 'time_range', 'budget']);
  });

  it('treats null as absent, and a default as an empty choice', () => {
    const input = { query: 'Why?', sources: null, output_format: 'json', depth: 'standard' };
    const { start, values } = filledForm({ input, webhook_url: null }, fieldsOfType('research_agent'));
    expect(values).toEqual({ 'input.query': 'Why?', 'input.output_format': 'json', 'input.depth': '' });
    expect(start).toEqual({});
  });

  it('shows what the API took an absent value for, where the form has another default', () => {
    const fields = fieldsOfType('research_agent');
    const { values, changed } = filledForm({ input: { query: 'Why?' } }, fields);
    expect(values).toEqual({ 'input.query': 'Why?', 'input.output_format': 'json' });
    expect(changed).toEqual([]);
  });

  it('says which fields cannot show all that was stored', () => {
    const input = {
      documents: [{ url: 'https://a.org/1', type: 'pdf' }],
      extraction_rules: ['Names, and who they are'],
    };
    expect(filledForm({ input }, fieldsOfType('processing_agent')).changed).toEqual(['Documents', 'Rules']);
  });
});

describe('the heading of a task', () => {
  it('is the beginning of what was asked, on one line', () => {
    expect(headingOf(' How did\n  fees change? ')).toBe('How did fees change?');
    expect(headingOf('x'.repeat(500))).toMatch(/^x{159}…$/);
    expect(headingOf('')).toBe('');
  });

  it('names documents by their files and addresses, and never without the first', () => {
    fileNames.set(FILE_ID, 'invoice.pdf');
    expect(documentsTitle(FILE_ID)).toBe('invoice.pdf');
    expect(documentsTitle(`https://a.org/in/lease.pdf\n${FILE_ID}`)).toBe('lease.pdf and 1 more');
    fileNames.clear();
    expect(documentsTitle(`${FILE_ID}\n${FILE_ID}`)).toBe('A stored file and 1 more');
  });
});
