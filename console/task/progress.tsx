/** The progress of a task: bar, stages, and partial findings. */

import type { AgentContract } from '../../client/src/index.ts';
import { STAGES } from '../contract/bodies.ts';
import { count, duration, words } from '../format.ts';
import { stagesOf } from '../task-updates.ts';
import { Badge } from '../ui/list.tsx';
import { Time } from '../ui/parts.tsx';

/** How far a task is: its bar, its stages, and what it has found so far. */
const SAYS = { done: 'done', now: 'under way', ahead: 'to come', left: 'not reached' } as const;

export function Timeline({ task }: { task: AgentContract.TaskStatus }) {
  const { status, progress, task_type, output_preview: preview } = task;
  const hasEnded = status === 'completed' || status === 'failed' || status === 'cancelled';
  const current = hasEnded || task.started_at === null ? null : progress.current_stage;
  const stages = stagesOf(STAGES[task_type] ?? [], { ...progress, current_stage: current }, hasEnded);
  // A task that succeeded leaves out the stages it had no need of.
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
