/** A task of an agent in the list. */
import type { AgentContract } from '../../client/src/index.ts';
import { askedHere } from '../asked.ts';
import { duration, shortId, words } from '../format.ts';
import { Badge } from './badge.tsx';
import { Time } from './time.tsx';

const MOST_LABELS = 3;

export function AgentRow({ task }: { task: AgentContract.TaskInList }) {
  const { task_id, task_type, status, progress_percentage: percent, metadata } = task;
  const title = askedHere(task_id)?.title;
  const labels = Object.entries(metadata).slice(0, MOST_LABELS);
  return (
    <li>
      <a class="row" href={`#/agents/${encodeURIComponent(task_id)}`}>
        <span class="row-name">
          <strong title={title}>{title || words(task_type)}</strong>
          <span class="small muted">
            {title && `${words(task_type)} · `}
            <code>{shortId(task_id)}</code>
            {labels.map(([name, value]) => (
              <span key={name} class="label">
                {name}: {value}
              </span>
            ))}
          </span>
        </span>
        <Badge state={status} />
        <span class="row-progress">
          <progress max={100} value={percent} aria-label="Progress" />
          <span class="small muted">{Math.floor(percent)} %</span>
        </span>
        <span class="small muted row-time">
          <Time at={task.created_at} />
        </span>
        <span class="small muted row-took">
          {task.duration_minutes === null ? '' : duration(task.duration_minutes)}
        </span>
      </a>
    </li>
  );
}
