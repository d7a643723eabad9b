/** The form of a task of the Files & Tasks API. */
import { NEW_TASK } from '../contract/bodies.ts';
import { schemaField } from './agent-forms.ts';
import type { Group } from './field-spec.ts';

type Models = { models: readonly string[]; default?: string | undefined };

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
      title: 'Grouping',
      fields: [
        {
          path: 'namespace',
          label: 'Namespace',
          kind: 'text',
          help: 'Groups tasks, for example by department or project.',
        },
        {
          path: 'delivery.config.endpoint',
          label: 'Webhook address',
          kind: 'text',
          help: 'The result is sent there when the task has finished. You can also read it here.',
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
