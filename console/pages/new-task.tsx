/** The forms that submit a task: one for each agent, and a prompt with files. */
import type { AgentContract, FilesContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { config, discardUrl } from '../config.ts';
import { go } from '../current-place.ts';
import { learnFileNames } from '../files/file-names.ts';
import { AGENT_FORMS, type AgentForm, fieldsOf, type Models, promptForm } from '../form/agent-forms.ts';
import { FormEnd, FormFields } from '../form/form-fields.tsx';
import { previewTitle, requestSummary } from '../form/request-summary.ts';
import { type FilledForm, fileIdsIn, filledForm, keptNames } from '../form/stored-input.ts';
import { useForm } from '../form/use-form.ts';
import { words } from '../format.ts';
import { useApiData } from '../hooks.ts';
import type { PageProps } from '../location.ts';
import { remember } from '../submitted-requests.ts';
import { agentBody, promptBody } from '../task/submit-again.tsx';
import { Fault } from '../ui/fault.tsx';
import { AskedModelNotice, ModelNotice } from '../ui/model-notice.tsx';
import { Page } from '../ui/parts.tsx';

export function NewAgentPage({ query }: PageProps) {
  const from = query.get('from');
  if (from) return <EditAgentPage taskId={from} />;
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
      {chosen && <AgentRequestForm key={chosen.type} form={chosen} />}
    </Page>
  );
}

type Again = { taskId: string; filled: FilledForm };

/** The form filled with the input of a task. */
function EditAgentPage({ taskId }: { taskId: string }) {
  const { data, fault, again } = useApiData(`input ${taskId}`, async (signal) => {
    const stored = await api().agents.input(taskId, { signal });
    const form = AGENT_FORMS.find(({ type }) => type === stored.task_type);
    if (!form) throw new Error(`There is no form for ${stored.task_type}.`);
    const fields = fieldsOf(form);
    const filled = filledForm(agentBody(stored), fields);
    await learnFileNames(fileIdsIn(filled.values, fields), signal);
    return { form, filled };
  });
  return (
    <Page title="Edit and run" about={<Origin href={`#/agents/${encodeURIComponent(taskId)}`} />}>
      <Fault fault={fault} onAgain={again} />
      {!data && !fault && <p class="muted wait">Loading…</p>}
      {data && <AgentRequestForm form={data.form} again={{ taskId, filled: data.filled }} />}
    </Page>
  );
}

const Origin = ({ href }: { href: string }) => (
  <>
    A new task with the input of <a href={href}>this one</a>, which stays as it is.
  </>
);

function AgentRequestForm({
  form: { type, about, stages, schema, groups, titleOf, submitLabel, hasPreview },
  again,
}: {
  form: AgentForm;
  again?: Again;
}) {
  const fields = fieldsOf({ groups });
  const webhook = config.local?.catcherUrl ? { webhook_url: config.local.catcherUrl } : {};
  const form = useForm({
    name: again ? `${type} ${again.taskId}` : type,
    schema,
    start: { input: {}, ...again?.filled.start, task_type: type },
    fields,
    initialValues: again?.filled.values ?? webhook,
    send: async (body, idempotencyKey, values) => {
      const { task_id } = await api().agents.submit(body as AgentContract.Submission, { idempotencyKey });
      remember(task_id, requestSummary(fields, values, titleOf));
      go(`#/agents/${task_id}`);
    },
    ...(hasPreview && {
      preview: async (body, idempotencyKey, values) => {
        const { task_id } = await api().agents.previewNotification(body as AgentContract.NotificationPreview, {
          idempotencyKey,
        });
        remember(
          task_id,
          requestSummary(fields, values, (current) => previewTitle(titleOf(current))),
        );
        go(`#/agents/${task_id}`);
      },
    }),
  });
  return (
    <form class="ask" onSubmit={form.submit} noValidate>
      <p class="muted">
        {about} Stages: {stages.map(words).join(' → ')}.
      </p>
      <AskedModelNotice />
      {again && <CarriedOverNotice filled={again.filled} />}
      <FormFields form={form} schema={schema} groups={groups} />
      <FormEnd form={form} back="#/agents" label={submitLabel?.(form.values)} hasPreview={hasPreview} />
    </form>
  );
}

/** What of the stored input is not in the fields as it was. */
function CarriedOverNotice({ filled: { start, changed } }: { filled: FilledForm }) {
  const keptFields = keptNames(start).map(words);
  if (keptFields.length + changed.length === 0) return null;
  return (
    <div class="notice">
      {keptFields.length > 0 && <p>Also submitted, as before: {keptFields.join(', ')}.</p>}
      {changed.length > 0 && <p>The form cannot show all of these, so check them: {changed.join(', ')}.</p>}
    </div>
  );
}

export function NewPromptPage({ query }: PageProps) {
  const from = query.get('from');
  const { data, fault, again } = useApiData(`prompt form ${from ?? ''}`, async (signal) => {
    const models = await api().models({ signal });
    return { models, filled: from ? await filledPrompt(from, models, signal) : undefined };
  });
  // A new task can be typed while the models are loading; a stored one has to be there first.
  const isReady = !from || data !== undefined;
  return (
    <Page
      title={from ? 'Edit and run' : 'New prompt task'}
      about={
        from ? (
          <Origin href={`#/prompts/${encodeURIComponent(from)}`} />
        ) : (
          'Reads the files you attach, and answers the prompt from them.'
        )
      }
    >
      <Fault fault={fault} onAgain={again} />
      {!isReady && !fault && <p class="muted wait">Loading…</p>}
      {isReady && (
        <PromptRequestForm
          models={data?.models ?? { models: [] }}
          {...(from && data?.filled ? { again: { taskId: from, filled: data.filled } } : {})}
        />
      )}
    </Page>
  );
}

const ENDPOINT = 'delivery.config.endpoint';
const DEFAULT_NAMESPACE = 'default';

async function filledPrompt(taskId: string, models: Models, signal: AbortSignal): Promise<FilledForm> {
  const body = promptBody(await api().tasks.input(taskId, { signal }));
  if (!body) throw new Error('This task does not say which workflows its steps come from: fill in a new one.');
  const fields = fieldsOf(promptForm(models));
  const filled = filledForm(body, fields);
  await learnFileNames(fileIdsIn(filled.values, fields), signal);
  const hasWebhook = filled.values[ENDPOINT] !== discardUrl;
  return hasWebhook ? filled : { ...filled, values: { ...filled.values, [ENDPOINT]: '' } };
}

function PromptRequestForm({ models, again }: { models: Models; again?: Again }) {
  const { schema, start, groups } = promptForm(models);
  const fields = fieldsOf({ groups });
  const webhook = config.local?.catcherUrl ? { [ENDPOINT]: config.local.catcherUrl } : {};
  const form = useForm({
    name: again ? `prompt ${again.taskId}` : 'prompt',
    schema,
    start: { ...start, ...again?.filled.start, delivery: { type: 'webhook', config: { endpoint: discardUrl } } },
    fields,
    initialValues: again?.filled.values ?? { namespace: DEFAULT_NAMESPACE, ...webhook },
    send: async (body, idempotencyKey, values) => {
      const { taskId } = await api().tasks.create(body as FilesContract.NewTask, { idempotencyKey });
      remember(
        taskId,
        requestSummary(fields, values, (current) => (current['input.prompt'] ?? '').trim()),
      );
      go(`#/prompts/${taskId}`);
    },
  });
  return (
    <form class="ask" onSubmit={form.submit} noValidate>
      <ModelNotice defaultModel={models.default} />
      {again && <CarriedOverNotice filled={again.filled} />}
      <FormFields form={form} schema={schema} groups={groups} />
      <FormEnd form={form} back="#/prompts" />
    </form>
  );
}
