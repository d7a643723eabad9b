/** How far a task is: its state, its stages, and its findings so far. */
import type { AgentContract } from '../../client/src/index.ts';
import { STAGES } from '../contract/bodies.ts';
import { count, duration, words } from '../format.ts';
import { stageStatusOf, stagesOf } from '../task-updates.ts';
import { sentence } from '../ui/fault.tsx';
import { Badge } from '../ui/list.tsx';
import { Time } from '../ui/parts.tsx';

type Status = AgentContract.TaskStatus;

const SAYS = {
  done: 'done',
  now: 'under way',
  ahead: 'to come',
  left: 'not reached',
  failed: 'failed',
} as const;

type StageProps = { task: Status; isPreview?: boolean | undefined };

/** The stage that a preview does without. */
const SENDING = 'sending';

/** The progress of an unfinished task. */
export function Timeline({ task, isPreview = false }: StageProps) {
  const { status, progress, output_preview: preview } = task;
  const current = task.started_at === null ? null : progress.current_stage;
  return (
    <section class="card timeline">
      <div class="timeline-head">
        <Badge state={status} />
        <span class="muted small">
          {typeof preview.next_run_at !== 'string' && `About ${duration(progress.estimated_remaining_minutes)} left`}
        </span>
        <span class="percent">{Math.floor(progress.percentage)} %</span>
      </div>
      <progress max={100} value={progress.percentage} aria-label="Progress of the task" />
      {progress.waiting_for && <p class="notice">{sentence(progress.waiting_for)}</p>}
      <Stages task={task} isPreview={isPreview} />
      <p class="unseen" aria-live="polite">
        {words(status)}
        {current && `, ${words(current)}`}
      </p>
      <SoFar preview={preview} />
    </section>
  );
}

/** The state of a finished task in one line. A research that found nothing has not failed, but did not succeed either. */
export function EndedState({ task, isNothingFound }: { task: Status; isNothingFound: boolean }) {
  const { status, started_at, completed_at } = task;
  const minutes = started_at && completed_at ? (Date.parse(completed_at) - Date.parse(started_at)) / 60_000 : undefined;
  return (
    <p class="ended-state" aria-live="polite">
      <Badge state={isNothingFound ? 'nothing found' : status} />
      <span class="muted small">
        <Time at={completed_at} />
        {minutes !== undefined && `, after ${duration(minutes)}`}
      </span>
    </p>
  );
}

export function Stages({ task: { status, task_type, progress, started_at }, isPreview = false }: StageProps) {
  const current = started_at === null ? null : progress.current_stage;
  const plannedStages = (STAGES[task_type] ?? []).filter((name) => !isPreview || name !== SENDING);
  const stages = stagesOf(plannedStages, { ...progress, current_stage: current }, stageStatusOf(status));
  // A succeeded task omits the stages that it skipped.
  const shownStages = status === 'completed' ? stages.filter(({ state }) => state === 'done') : stages;
  return (
    <ol class="stages" aria-label="Stages">
      {shownStages.map(({ name, state }) => (
        <li key={name} class={state} aria-current={state === 'now' ? 'step' : undefined}>
          {words(name)}
          <span class={state === 'failed' ? '' : 'unseen'}> {SAYS[state]}</span>
        </li>
      ))}
    </ol>
  );
}

export function SoFar({ preview }: { preview: Record<string, unknown> }) {
  const { next_run_at: next, ...counts } = preview;
  const figures = Object.entries(counts).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  const texts = Object.entries(counts).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
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
