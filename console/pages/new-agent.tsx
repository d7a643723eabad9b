/** Asking an agent for something: which one, and its form. */

import type { AgentContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { config } from '../config.ts';
import { AGENT_FORMS, type AgentForm, fieldsOf } from '../form/agent-forms.ts';
import { FormEnd, FormFields } from '../form/form-fields.tsx';
import { askedOf } from '../form/request-summary.ts';
import { useForm } from '../form/use-form.ts';
import { words } from '../format.ts';
import { go } from '../hooks.ts';
import type { PageProps } from '../location.ts';

import { remember } from '../submitted-requests.ts';
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
