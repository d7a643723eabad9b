/** A prompt with files: the form of a task of the Files & Tasks API. */

import type { FilesContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { config } from '../config.ts';
import { fieldsOf, promptForm } from '../form/agent-forms.ts';
import { FormEnd, FormFields } from '../form/form-fields.tsx';
import { askedOf } from '../form/request-summary.ts';
import { useForm } from '../form/use-form.ts';
import { go, useAsked } from '../hooks.ts';
import { remember } from '../submitted-requests.ts';
import { Fault } from '../ui/fault.tsx';
import { Page } from '../ui/parts.tsx';

export function NewPromptPage() {
  const { data, fault, again } = useAsked('models', (signal) => api().models({ signal }));
  const { schema, start, groups } = promptForm(data ?? { models: [] });
  const fields = fieldsOf({ groups });
  const form = useForm({
    name: 'prompt',
    schema,
    start,
    fields,
    first: config.local?.catcherUrl ? { 'delivery.config.endpoint': config.local.catcherUrl } : {},
    send: async (body, idempotencyKey, values) => {
      const { taskId } = await api().tasks.create(body as FilesContract.NewTask, { idempotencyKey });
      remember(
        taskId,
        askedOf(fields, values, (all) => (all['input.prompt'] ?? '').trim()),
      );
      go(`#/prompts/${taskId}`);
    },
  });
  return (
    <Page title="New prompt task" about="Reads the files you attach, follows the prompt, and writes an answer.">
      <form class="ask" onSubmit={form.submit} noValidate>
        <Fault fault={fault} onAgain={again} />
        <FormFields form={form} schema={schema} groups={groups} />
        <FormEnd form={form} back="#/prompts" />
      </form>
    </Page>
  );
}
