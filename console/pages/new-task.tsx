/** The forms that submit a task: one for each agent, and a prompt with files. */
import type { AgentContract, FilesContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { config } from '../config.ts';
import { AGENT_FORMS, type AgentForm, fieldsOf, promptForm } from '../form/agent-forms.ts';
import { FormEnd, FormFields } from '../form/form-fields.tsx';
import { askedOf } from '../form/request-summary.ts';
import { useForm } from '../form/use-form.ts';
import { words } from '../format.ts';
import { go, useAsked } from '../hooks.ts';
import type { PageProps } from '../location.ts';
import { remember } from '../submitted-requests.ts';
import { Fault } from '../ui/fault.tsx';
import { Page } from '../ui/parts.tsx';

export function NewAgentPage({ query }: PageProps) {
  const chosen = AGENT_FORMS.find(({ type }) => type === query.get('type')) ?? AGENT_FORMS[0];
  return (
    <Page title="New agent task">
      <nav class="tabs" aria-label="Agents">
        {AGENT_FORMS.map(({ type, title }) => (
          <a key={type} href={`#/agents/new?type=${type}`} aria-current={type === chosen?.type ? 'true' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {chosen && <Ask key={chosen.type} form={chosen} />}
    </Page>
  );
}

function Ask({ form: { type, about, stages, schema, groups, titleOf } }: { form: AgentForm }) {
  const fields = fieldsOf({ groups });
  const form = useForm({
    name: type,
    schema,
    start: { task_type: type, input: {} },
    fields,
    first: config.local?.catcherUrl ? { webhook_url: config.local.catcherUrl } : {},
    send: async (body, idempotencyKey, values) => {
      const { task_id } = await api().agents.submit(body as AgentContract.Submission, { idempotencyKey });
      remember(task_id, askedOf(fields, values, titleOf));
      go(`#/agents/${task_id}`);
    },
  });
  return (
    <form class="ask" onSubmit={form.submit} noValidate>
      <p class="muted">
        {about} Stages: {stages.map(words).join(' → ')}.
      </p>
      <FormFields form={form} schema={schema} groups={groups} />
      <FormEnd form={form} back="#/agents" />
    </form>
  );
}

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
