/** One task of an agent: its progress, its cancel dialog, its input and its results. */
import { useEffect, useRef } from 'preact/hooks';
import type { AgentContract, TaskNews } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { CANCEL_WISH, STAGES } from '../contract/bodies.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import type { FieldSpec } from '../form/field-spec.ts';
import { FormField } from '../form/form-fields.tsx';
import { useForm } from '../form/use-form.ts';
import { count, duration, words } from '../format.ts';
import { type ApiAnswer, useAsked } from '../hooks.ts';
import { hear } from '../live.ts';
import type { PageProps } from '../location.ts';
import { maySubmit } from '../session.ts';
import { remember } from '../submitted-requests.ts';
import { Activity } from '../task/activity.tsx';
import { factsOfAgentInput, TaskFacts, WhatWasAsked } from '../task/facts.tsx';
import { TaskResults } from '../task/results.tsx';
import { stagesOf, statusAfter } from '../task-updates.ts';
import { Fault, sentence } from '../ui/fault.tsx';
import { Badge, LiveMark } from '../ui/list.tsx';
import { Page, Time, Warnings } from '../ui/parts.tsx';

type Status = AgentContract.TaskStatus;

/** Only the status contains stages and previews, and an organization may request it 25 times a minute. */
const LOOK_MS = 6_000;

export function AgentPage({ params: { id = '' } }: PageProps) {
  const answer = useAsked(id, (signal) => api().agents.status(id, { signal }));
  const { data: task, fault, again } = answer;
  useFollowed(id, answer);
  const isOpen = task && ['pending', 'processing', 'cancelling'].includes(task.status);
  return (
    <Page
      title={task ? words(task.task_type) : 'Agent task'}
      about={<code>{id}</code>}
      actions={
        <>
          {isOpen && <LiveMark />}
          {isOpen && maySubmit() && <CancelButton taskId={id} onDone={again} />}
        </>
      }
    >
      <p class="crumb">
        <a href="#/agents">All agent tasks</a>
      </p>
      <Fault fault={fault} onAgain={again} />
      {!task && !fault && <p class="muted wait">Loading…</p>}
      {task && (
        <div class="task">
          <Timeline task={task} />
          <WhatWasAsked
            taskId={id}
            load={async (signal) => factsOfAgentInput(await api().agents.input(id, { signal }))}
          />
          <Warnings warnings={task.warnings} />
          {task.error && (
            <div class="notice bad">
              <p>
                <strong>{sentence(words(task.error.code.toLowerCase()))}</strong> {sentence(task.error.message)}
              </p>
            </div>
          )}
          {task.task_type === 'research_agent' && <Activity key={id} task={task} />}
          <TaskResults task={task} />
          {task.webhook_configured && <Deliveries kind="agents" taskId={id} state={task.status} />}
          <TaskFacts task={task} />
        </div>
      )}
    </Page>
  );
}

/** Applies each update at once, and polls the status occasionally for what updates do not contain. */
function useFollowed(id: string, { change, again }: ApiAnswer<Status>): void {
  useEffect(() => {
    let lookedAt = Date.now();
    let later: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      clearTimeout(later);
      lookedAt = Date.now();
      again();
    };
    const received = (update: TaskNews) => {
      if (update.task_id !== id) return;
      change((before) => statusAfter(before, update));
      clearTimeout(later);
      const hasTurned = update.type !== 'task_progress';
      later = setTimeout(look, hasTurned ? 0 : Math.max(0, lookedAt + LOOK_MS - Date.now()));
    };
    const deaf = hear({ heard: received, missed: look });
    return () => {
      clearTimeout(later);
      deaf();
    };
  }, [id, change, again]);
}

/** The progress of a task: its bar, its stages, and its findings so far. */
const SAYS = { done: 'done', now: 'under way', ahead: 'to come', left: 'not reached' } as const;

export function Timeline({ task }: { task: AgentContract.TaskStatus }) {
  const { status, progress, task_type, output_preview: preview } = task;
  const hasEnded = status === 'completed' || status === 'failed' || status === 'cancelled';
  const current = hasEnded || task.started_at === null ? null : progress.current_stage;
  const stages = stagesOf(STAGES[task_type] ?? [], { ...progress, current_stage: current }, hasEnded);
  // A succeeded task omits the stages that it skipped.
  const shown = status === 'completed' ? stages.filter(({ state }) => state === 'done') : stages;
  return (
    <section class="card timeline">
      <div class="timeline-head">
        <Badge state={status} />
        <span class="muted small">
          {hasEnded ? (
            <>
              Ended <Time at={task.completed_at} />
            </>
          ) : (
            typeof preview.next_run_at !== 'string' && `About ${duration(progress.estimated_remaining_minutes)} left`
          )}
        </span>
        <span class="percent">{Math.floor(progress.percentage)} %</span>
      </div>
      <progress max={100} value={progress.percentage} aria-label="Progress of the task" />
      <ol class="stages">
        {shown.map(({ name, state }) => (
          <li key={name} class={state} aria-current={state === 'now' ? 'step' : undefined}>
            {words(name)}
            <span class="unseen"> {SAYS[state]}</span>
          </li>
        ))}
      </ol>
      <p class="unseen" aria-live="polite">
        {words(status)}
        {current && `, ${words(current)}`}
      </p>
      <SoFar preview={preview} />
    </section>
  );
}

function SoFar({ preview }: { preview: Record<string, unknown> }) {
  const { next_run_at: next, ...found } = preview;
  const figures = Object.entries(found).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const texts = Object.entries(found).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return (
    <>
      {typeof next === 'string' && (
        <p>
          Next run <Time at={next} isPlanned />
        </p>
      )}
      {figures.length > 0 && (
        <dl class="tally">
          {figures.map(([name, value]) => (
            <div key={name}>
              <dd>{count(value)}</dd>
              <dt>{words(name)}</dt>
            </div>
          ))}
        </dl>
      )}
      {texts.map(([name, value]) => (
        <p key={name}>
          <span class="muted">{words(name)}</span> {value}
        </p>
      ))}
    </>
  );
}

const FIELDS: FieldSpec[] = [
  { path: 'reason', label: 'Reason', kind: 'text' },
  { path: 'force', label: 'Stop immediately, in the middle of a stage', kind: 'flag' },
];

export function CancelButton({ taskId, onDone }: { taskId: string; onDone: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useForm({
    name: `cancel ${taskId}`,
    schema: CANCEL_WISH,
    start: {},
    fields: FIELDS,
    send: async (body, idempotencyKey) => {
      const { reason } = await api().agents.cancel(taskId, body, { idempotencyKey });
      // Only this response contains the reason.
      if (reason) remember(taskId, { title: '', facts: [['Reason', reason]] });
      dialog.current?.close();
      onDone();
    },
  });
  return (
    <>
      <button type="button" class="button danger" onClick={() => dialog.current?.showModal()}>
        Cancel task
      </button>
      <dialog ref={dialog} aria-labelledby="cancel-title">
        <form class="stack" onSubmit={form.submit} noValidate>
          <h2 id="cancel-title">Cancel this task?</h2>
          <p class="muted">The output of its finished stages is kept.</p>
          <Fault fault={form.fault} marked={form.reasons} />
          {FIELDS.map((spec) => (
            <FormField key={spec.path} spec={spec} schema={CANCEL_WISH} form={form} />
          ))}
          <div class="actions">
            <button type="submit" class="button danger" aria-disabled={form.isBusy}>
              Cancel the task
            </button>
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              Keep running
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
