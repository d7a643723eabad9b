/** The form of each agent and of a prompt as data. Limits come from the contract. */
import { NEW_TASK, NOTIFICATION, PROCESSING, RESEARCH, RULE_NAMES, STAGES } from '../contract/bodies.ts';
import type { JsonSchema } from '../contract/validate.ts';
import type { FieldSpec, Group, Values } from './field-spec.ts';
import { documentsTitle, mailTitle, type TitleOf } from './request-summary.ts';

export type AgentForm = {
  type: string;
  title: string;
  about: string;
  stages: readonly string[];
  schema: JsonSchema;
  groups: Group[];
  /** The title of a task in one line. */
  titleOf: TitleOf;
  /** The label of the button that submits; default: `Submit`. */
  submitLabel?: (values: Values) => string;
  /** Whether the service can show the result before the task does its work. */
  hasPreview?: true;
};

const deliveryGroup = (): Group => ({
  title: 'Delivery and labels',
  isFolded: true,
  fields: [
    { path: 'priority', label: 'Priority', kind: 'number', help: 'From 1 to 10; 10 is the most urgent.' },
    {
      path: 'timeout_minutes',
      label: 'Time limit, in minutes',
      kind: 'number',
      help: 'A task that takes longer fails.',
    },
    {
      path: 'webhook_url',
      label: 'Webhook address',
      kind: 'text',
      help: 'Receives a signed POST when the task has finished.',
    },
    {
      path: 'metadata',
      label: 'Labels',
      kind: 'pairs',
      rows: 3,
      help: 'One per line, as name: value. Every response about the task repeats them.',
    },
  ],
});

const research: AgentForm = {
  type: 'research_agent',
  title: 'Research',
  about: 'Gathers from your sources, reads, and writes a report with citations.',
  stages: STAGES.research_agent ?? [],
  schema: RESEARCH,
  titleOf: (values) => (values['input.query'] ?? '').trim(),
  groups: [
    {
      title: 'The question',
      fields: [
        {
          path: 'input.query',
          label: 'What do you want to know?',
          kind: 'long',
          rows: 4,
          placeholder: 'How did port fees in the Baltic change?',
        },
        { path: 'input.file_ids', label: 'Files', kind: 'files', help: 'Read and cited like sources.' },
        {
          path: 'input.sources',
          label: 'Sources',
          kind: 'sources',
          help: 'Default: the built-in ones, or with files none.',
        },
      ],
    },
    {
      title: 'Depth and deliverables',
      fields: [
        {
          path: 'input.depth',
          label: 'Depth',
          kind: 'choice',
          defaultValue: 'standard',
          words: ['overview', 'standard', 'comprehensive'],
          help: 'Reads up to 6 documents (overview), 12 (standard) or 30 (comprehensive).',
        },
        {
          path: 'input.analysis_depth',
          label: 'Number of findings',
          kind: 'choice',
          defaultValue: 'detailed',
          words: ['basic', 'detailed', 'expert'],
          help: 'Extracts up to 8 (basic), 30 (detailed) or 80 (expert), plus those of each section.',
        },
        {
          path: 'input.research_type',
          label: 'Kind of research',
          kind: 'choice',
          none: 'None: search by the question alone',
          words: [
            'market_analysis',
            'competitive_analysis',
            'trend_analysis',
            'company_profile',
            'financial_analysis',
            'risk_assessment',
            'literature_review',
          ],
        },
        {
          path: 'input.output_format',
          label: 'Format of the report',
          kind: 'choice',
          defaultValue: 'pdf',
          apiDefault: 'json',
          help: 'A PDF comes with the same report as a web page. The results as JSON are always among the files.',
        },
        {
          path: 'input.deliverables',
          label: 'Sections',
          kind: 'words',
          suggestions: [
            'executive_summary',
            'key_findings',
            'market_overview',
            'competitor_analysis',
            'trends',
            'risks',
            'opportunities',
            'recommendations',
            'data_table',
            'charts',
            'bibliography',
          ],
          help: 'In this order. Any other text becomes a section with that title. Default: seven sections.',
        },
        {
          path: 'input.geographic_scope',
          label: 'Places',
          kind: 'lines',
          rows: 2,
          help: 'One per line; documents about them rank higher.',
        },
      ],
    },
    deliveryGroup(),
  ],
};

const TEXT = { type: 'string' };
const NUMBER = { type: 'number' };
const DATE = { type: 'string', format: 'date' };
const record = (properties: object) => ({ type: 'object', properties });
const lines = (properties: object) => ({ type: 'array', items: record(properties) });
const LINE = { description: TEXT, quantity: NUMBER, unit_price: NUMBER, line_total: NUMBER };

/** Example schemas. */
const SCHEMAS = {
  Invoice: record({
    invoice_number: TEXT,
    issue_date: DATE,
    due_date: DATE,
    seller: TEXT,
    buyer: TEXT,
    subtotal: NUMBER,
    tax: NUMBER,
    total: NUMBER,
    currency: TEXT,
    line_items: lines(LINE),
  }),
  Receipt: record({ company: TEXT, date: DATE, total: NUMBER, tax: NUMBER, currency: TEXT }),
  Order: record({
    order_number: TEXT,
    order_date: DATE,
    delivery_date: DATE,
    supplier: TEXT,
    customer: TEXT,
    total: NUMBER,
    line_items: lines({ article_number: TEXT, ...LINE }),
  }),
};

/** A field for a schema; `about` says how it is used. */
const schemaField = (path: string, about: string): FieldSpec => ({
  path,
  label: 'Your own schema',
  kind: 'json',
  help: `A JSON Schema: ${about} Start from a template. Without a language model, only what stands at a label or in a table is filled: often no names, such as seller or company.`,
  templates: SCHEMAS,
});

const processing: AgentForm = {
  type: 'processing_agent',
  title: 'Extract from documents',
  about: 'Reads your files and documents from the web (including scans), and extracts the values you name.',
  stages: STAGES.processing_agent ?? [],
  schema: PROCESSING,
  titleOf: (values) => documentsTitle(values['input.documents'] ?? ''),
  groups: [
    {
      title: 'The documents',
      fields: [
        {
          path: 'input.documents',
          label: 'Documents',
          kind: 'documents',
          rows: 3,
          placeholder: 'https://files.acme.org/invoice.pdf',
        },
      ],
    },
    {
      title: 'What to extract',
      fields: [
        {
          path: 'input.extraction_rules',
          label: 'Rules',
          kind: 'words',
          suggestions: RULE_NAMES,
          help: 'Default: all of them. Any other text is an instruction to the model.',
        },
        schemaField('input.output_schema', 'each document becomes a record with these fields.'),
        { path: 'input.processing_type', label: 'Kind of work', kind: 'text' },
        { path: 'input.output_format', label: 'Format of the results', kind: 'choice', defaultValue: 'json' },
      ],
    },
    deliveryGroup(),
  ],
};

const FREQUENCY = 'input.schedule.frequency';
const isScheduled = (values: Values): boolean => (values[FREQUENCY] ?? '') !== '';
const textIn = (values: Values, name: string): string => (values[`input.content.${name}`] ?? '').trim();
/** A message without a source is sent alone; otherwise the e-mail has news. */
const hasNews = (values: Values): boolean => textIn(values, 'message') === '' || textIn(values, 'data_sources') !== '';

const CONDITION = 'condition_kind';
const BY_SENTENCE = 'a_sentence_holds';
const BY_FIGURE = 'a_figure_is_above_or_below';
const isConditional =
  (kind: string) =>
  (values: Values): boolean =>
    hasNews(values) && values[CONDITION] === kind;

function kindOfCondition(values: Values): string {
  if (textIn(values, 'condition') !== '') return BY_SENTENCE;
  return ['figure', 'above', 'below', 'source'].some((name) => textIn(values, `condition.${name}`)) ? BY_FIGURE : '';
}

const notification: AgentForm = {
  type: 'notification_agent',
  title: 'Send notifications',
  about: 'Gathers news, writes an e-mail with charts, and sends it to each recipient, once or on a schedule.',
  stages: STAGES.notification_agent ?? [],
  schema: NOTIFICATION,
  titleOf: mailTitle,
  submitLabel: (values) => (isScheduled(values) ? 'Schedule' : 'Send'),
  hasPreview: true,
  groups: [
    {
      title: 'The mail',
      fields: [
        {
          path: 'input.content.recipients',
          label: 'To',
          kind: 'lines',
          rows: 3,
          placeholder: 'ann@acme.org',
          help: 'One address per line; each gets a separate e-mail.',
        },
        {
          path: 'input.notification_type',
          label: 'Type of e-mail',
          kind: 'choice',
          defaultValue: 'digest',
          words: ['digest', 'report', 'reminder'],
        },
        { path: 'input.content.subject', label: 'Subject', kind: 'text', help: 'Default: the agent writes one.' },
        {
          path: 'input.content.message',
          label: 'Message',
          kind: 'long',
          rows: 4,
          help: 'Placed before everything else.',
        },
        {
          path: 'input.content.data_sources',
          label: 'Sources',
          kind: 'sources',
          help: 'Default: the built-in ones, or with a message none.',
        },
        {
          path: 'input.content.instructions',
          label: 'What matters',
          kind: 'long',
          rows: 3,
          placeholder: 'Only what concerns our routes in the Baltic; port fees first.',
          help: 'A language model chooses, merges and orders the news by it.',
          when: hasNews,
        },
        { path: 'input.content.include_charts', label: 'With charts', kind: 'flag', when: hasNews },
        { path: 'input.content.format', label: 'Format', kind: 'choice', defaultValue: 'html' },
      ],
    },
    {
      title: 'Condition',
      fields: [
        {
          path: CONDITION,
          label: 'Send only if',
          kind: 'choice',
          none: 'No condition: send it always',
          words: [BY_SENTENCE, BY_FIGURE],
          formOnly: kindOfCondition,
          when: hasNews,
        },
        {
          path: 'input.content.condition.figure',
          label: 'Figure',
          kind: 'text',
          isNeeded: true,
          placeholder: 'US dollar',
          help: 'Its label in the source; its latest value is compared.',
          when: isConditional(BY_FIGURE),
        },
        { path: 'input.content.condition.above', label: 'Above', kind: 'number', when: isConditional(BY_FIGURE) },
        {
          path: 'input.content.condition.below',
          label: 'Below',
          kind: 'number',
          help: 'With both, the value has to lie between them.',
          when: isConditional(BY_FIGURE),
        },
        {
          path: 'input.content.condition.source',
          label: 'Source of the figure',
          kind: 'text',
          placeholder: 'market_data',
          help: 'Default: any source of the e-mail.',
          when: isConditional(BY_FIGURE),
        },
        {
          path: 'input.content.condition',
          label: 'Condition',
          kind: 'long',
          rows: 2,
          isNeeded: true,
          placeholder: 'A port on our routes is closed or on strike.',
          help: 'A language model judges it by the news, and quotes what it rests on.',
          when: isConditional(BY_SENTENCE),
        },
      ],
    },
    {
      title: 'When',
      fields: [
        { path: FREQUENCY, label: 'How often', kind: 'choice', none: 'Once, now' },
        {
          path: 'input.schedule.day_of_week',
          label: 'Day of the week',
          kind: 'choice',
          isNeeded: true,
          none: 'Choose one',
          when: (values) => values[FREQUENCY] === 'weekly',
        },
        {
          path: 'input.schedule.day_of_month',
          label: 'Day of the month',
          kind: 'number',
          help: 'Default: the first. In shorter months the last day is used.',
          when: (values) => values[FREQUENCY] === 'monthly',
        },
        {
          path: 'input.schedule.time',
          label: 'Time',
          kind: 'time',
          help: 'Default: 09:00:00; an e-mail that is sent once goes out immediately.',
          when: isScheduled,
        },
        {
          path: 'input.schedule.timezone',
          label: 'Time zone',
          kind: 'choice',
          defaultValue: 'UTC',
          words: Intl.supportedValuesOf('timeZone'),
          when: isScheduled,
        },
      ],
    },
    deliveryGroup(),
  ],
};

export const AGENT_FORMS: AgentForm[] = [research, processing, notification];

export type Models = { models: readonly string[]; default?: string | undefined };

/** The form of a task of the Files & Tasks API. Its sender adds the endpoint for a task without a webhook. */
export const promptForm = ({ models, default: defaultModel }: Models) => ({
  schema: NEW_TASK,
  start: { delivery: { type: 'webhook', config: {} }, input: { type: 'chat' } },
  groups: [
    {
      title: 'The prompt',
      fields: [
        {
          path: 'input.prompt',
          label: 'Prompt',
          kind: 'long',
          rows: 6,
          placeholder: 'Until when does the lease run, and who may end it?',
        },
        { path: 'input.fileIds', label: 'Files', kind: 'files' },
      ],
    },
    {
      title: 'A record instead of prose',
      isFolded: true,
      fields: [
        schemaField('input.outputSchema', 'the files become one record, or one each if it is an array.'),
        {
          path: 'input.onMissing',
          label: 'If a field has no value',
          kind: 'choice',
          defaultValue: 'null',
          help: 'Leaves it empty, or fails the task with the partial record.',
        },
      ],
    },
    {
      title: 'Namespace and delivery',
      isFolded: true,
      fields: [
        {
          path: 'namespace',
          label: 'Namespace',
          kind: 'text',
          help: 'Groups tasks in the list, for example by department or project.',
        },
        {
          path: 'delivery.config.endpoint',
          label: 'Webhook address',
          kind: 'text',
          isOptional: true,
          help: 'Receives the result as a signed POST when the task has finished. You can always read it here.',
        },
      ],
    },
    {
      title: 'Model and knowledge',
      isFolded: true,
      fields: [
        {
          path: 'input.model',
          label: 'Model',
          kind: 'choice',
          words: models,
          none: 'Your first',
          ...(defaultModel ? { defaultValue: defaultModel } : {}),
        },
        {
          path: 'input.workflowIds',
          label: 'Workflows',
          kind: 'workflows',
          help: 'Their steps run in the order you tick them.',
        },
        { path: 'input.rulesetIds', label: 'Rulesets', kind: 'rulesets', help: 'Rules that the answer has to follow.' },
      ],
    },
  ] satisfies Group[] as Group[],
});

export const fieldsOf = ({ groups }: { groups: Group[] }): FieldSpec[] => groups.flatMap(({ fields }) => fields);
