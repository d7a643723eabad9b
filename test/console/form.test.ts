import { describe, expect, it } from 'vitest';
import { AGENT_FORMS, fieldsOf, promptForm } from '../../console/form/agent-forms.ts';
import { answeredFaults, reasonsOf } from '../../console/form/field-faults.ts';
import { bodyOf, type FieldSpec, typingFaults } from '../../console/form/field-spec.ts';
import { isAlert } from '../../shared/agents/notification-kind.ts';
import { parseOutputSchema } from '../../shared/tasks/output-schema.ts';

const field = (path: string, kind: FieldSpec['kind'], more: Partial<FieldSpec> = {}): FieldSpec => ({
  path,
  label: path,
  kind,
  ...more,
});

const FILE_ID = '01a1fc1f-dc5b-7062-a1d5-0ff65b8f6e23';

describe('the input of a form', () => {
  it('becomes a body without empty fields', () => {
    const fields = [
      field('input.query', 'long'),
      field('priority', 'number'),
      field('input.documents', 'documents'),
      field('input.content.recipients', 'lines'),
      field('input.sources', 'words'),
      field('input.content.include_charts', 'flag'),
      field('input.schedule.time', 'time'),
      field('metadata', 'pairs'),
      field('webhook_url', 'text'),
    ];
    const values = {
      'input.query': '  What?\n',
      priority: '7',
      'input.documents': `https://a.org/1\r\n\n https://a.org/2 \n${FILE_ID}`,
      'input.content.recipients': 'ann@acme.org',
      'input.sources': 'market_data\nown, other',
      'input.content.include_charts': 'true',
      'input.schedule.time': '07:30',
      metadata: 'order: 2041\nsite: http://x:1\nbare',
      webhook_url: '   ',
    };
    expect(bodyOf({ task_type: 't', input: {} }, fields, values)).toEqual({
      task_type: 't',
      priority: 7,
      input: {
        query: 'What?',
        documents: [{ url: 'https://a.org/1' }, { url: 'https://a.org/2' }, { file_id: FILE_ID }],
        sources: ['market_data', 'own', 'other'],
        content: { recipients: ['ann@acme.org'], include_charts: true },
        schedule: { time: '07:30:00' },
      },
      metadata: { order: '2041', site: 'http://x:1', bare: '' },
    });
  });

  it('is not sent from a hidden field', () => {
    const fields = [field('a', 'text'), field('b', 'text', { when: (values) => values.a === 'on' })];
    expect(bodyOf({}, fields, { a: 'off', b: 'x' })).toEqual({ a: 'off' });
    expect(bodyOf({}, fields, { a: 'on', b: 'x' })).toEqual({ a: 'on', b: 'x' });
  });

  it('asks for the report of a research as PDF unless another format is chosen', () => {
    const research = AGENT_FORMS.find(({ type }) => type === 'research_agent');
    const formatOf = (values: Record<string, string>) => bodyOf({}, research ? fieldsOf(research) : [], values);
    expect(formatOf({ 'input.query': 'Why?' })).toEqual({ input: { query: 'Why?', output_format: 'pdf' } });
    expect(formatOf({ 'input.output_format': 'json' })).toEqual({ input: { output_format: 'json' } });
  });

  it('does not change the initial body', () => {
    const start = { input: { type: 'chat' } };
    expect(bodyOf(start, [field('input.prompt', 'text')], { 'input.prompt': 'x' })).toEqual({
      input: { type: 'chat', prompt: 'x' },
    });
    expect(start).toEqual({ input: { type: 'chat' } });
  });
});

describe('a form', () => {
  it('finds malformed labels, and accepts valid ones', () => {
    const fields = [field('metadata', 'pairs'), field('input.query', 'long')];
    const faultsOf = (metadata: string) => typingFaults(fields, { metadata, 'input.query': 'bare' });
    expect(faultsOf('order: 2041\nteam=alpha\nbroken line\n: x')).toEqual([
      { path: 'metadata', reason: 'has a line that is not of the form name: value: team=alpha' },
      { path: 'metadata', reason: 'has a line that is not of the form name: value: broken line' },
      { path: 'metadata', reason: 'has a line that is not of the form name: value: : x' },
    ]);
    expect(faultsOf('order: 2041\n\n site: http://x:1\nempty:')).toEqual([]);
    expect(faultsOf('')).toEqual([]);
  });

  it('describes the default of every choice', () => {
    for (const field of AGENT_FORMS.flatMap(fieldsOf).filter(({ kind }) => kind === 'choice'))
      expect(field.defaultValue ?? field.none, field.path).toBeTruthy();
  });
});

describe('the reason of an error', () => {
  const fields = [
    'priority',
    'input.documents',
    'input.content.recipients',
    'delivery.config.endpoint',
    'input.prompt',
  ].map((path) => ({ path }));

  it('is shown at its field, also when it is about an entry of the field or an object around it', () => {
    const found = reasonsOf(
      [
        { path: 'priority', reason: 'must be a whole number from 1 to 10' },
        { path: 'input.documents.0.url', reason: 'is required' },
        { path: 'input.documents.2', reason: 'must be an object' },
        { path: 'input.content', reason: 'is required' },
        { path: 'colour', reason: 'is unknown' },
      ],
      fields,
    );
    expect(found).toEqual({
      priority: ['This must be a whole number from 1 to 10'],
      'input.documents': ['Entry 1 is required', 'Entry 3 must be an object'],
      'input.content.recipients': ['This is required'],
      '': ['colour is unknown'],
    });
  });

  it('is read from the responses of both APIs', () => {
    const agents = {
      message: 'Correct these fields: priority.',
      details: { invalid_fields: ['priority'], reasons: { priority: 'must be 1 to 10' } },
    };
    expect(answeredFaults(agents, fields)).toEqual([{ path: 'priority', reason: 'must be 1 to 10' }]);
    expect(answeredFaults({ message: 'x', details: { invalid_fields: ['priority'] } }, fields)).toEqual([
      { path: 'priority', reason: 'is not accepted' },
    ]);
    expect(answeredFaults({ message: 'delivery.config.endpoint is required', details: {} }, fields)).toEqual([
      { path: 'delivery.config.endpoint', reason: 'is required' },
    ]);
    expect(answeredFaults({ message: 'The service has enough to do.', details: {} }, fields)).toEqual([]);
  });
});

describe('a schema in a form', () => {
  const schemaField = () => {
    const form = AGENT_FORMS.find(({ type }) => type === 'processing_agent');
    const found = form && fieldsOf(form).find(({ path }) => path === 'input.output_schema');
    if (!found) throw new Error('The form has no field for a schema.');
    return found;
  };

  it('is sent as JSON, and rejected at its field if it is not JSON', () => {
    const fields = [schemaField()];
    const schemaInput = (text: string) => ({ 'input.output_schema': text });
    const body = bodyOf({ input: {} }, fields, schemaInput(' {"type": "object"}\n'));
    expect(body).toEqual({ input: { output_schema: { type: 'object' } } });
    expect(typingFaults(fields, schemaInput('{"type": "object"}'))).toEqual([]);
    expect(typingFaults(fields, schemaInput('  '))).toEqual([]);
    const [fault] = typingFaults(fields, schemaInput('{"type": object}'));
    expect(fault?.path).toBe('input.output_schema');
    expect(fault?.reason).toMatch(/^is not valid JSON: /);
  });

  it("shows the service's error with its path at the field", () => {
    const details = { reasons: { 'input.output_schema.properties.code.format': 'must be one of date, email' } };
    const faults = answeredFaults({ message: '', details }, [schemaField()]);
    expect(reasonsOf(faults, [schemaField()])).toEqual({
      'input.output_schema': ['properties.code.format must be one of date, email'],
    });
  });

  it('is a field of the form of prompts, too', () => {
    const found = fieldsOf(promptForm({ models: [] })).find(({ path }) => path === 'input.outputSchema');
    expect(found).toMatchObject({ kind: 'json', templates: schemaField().templates });
  });

  it('says which fields of its templates often stay empty without a language model', () => {
    expect(schemaField().help).toMatch(/Without a language model, .* such as seller or company/);
  });

  it.each(['Invoice', 'Receipt', 'Order'])('may start from the template %s, which the service accepts', (name) => {
    expect(parseOutputSchema(schemaField().templates?.[name])).toHaveProperty('schema');
  });
});

it('offers no alert as a type of e-mail, as an alert without a condition is sent as a digest', () => {
  const form = AGENT_FORMS.find(({ type }) => type === 'notification_agent');
  const types = form && fieldsOf(form).find(({ path }) => path === 'input.notification_type');
  expect(types?.words).toContain('report');
  expect(types?.words?.filter(isAlert)).toEqual([]);
});
