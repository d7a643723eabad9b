/** The parts of a list: rows, filters, pager, and what to do when it is empty. */

import type { ComponentChildren } from 'preact';
import type { AgentContract } from '../../client/src/index.ts';
import { count, duration, shortId, words } from '../format.ts';
import { useStore } from '../hooks.ts';
import { way } from '../live.ts';
import { submittedRequest } from '../submitted-requests.ts';
import { Time } from './parts.tsx';

const TONES: Record<string, string> = {
  pending: 'wait',
  accepted: 'wait',
  waiting: 'wait',
  processing: 'work',
  active: 'work',
  cancelling: 'warn',
  completed: 'good',
  success: 'good',
  delivered: 'good',
  failed: 'bad',
  failure: 'bad',
  exhausted: 'bad',
  cancelled: 'calm',
};

/** The state of a task: a word, and a matching colour. */
export const Badge = ({ state }: { state: string }) => <span class={`badge ${TONES[state] ?? 'calm'}`}>{state}</span>;

const MAX_LABELS = 3;

/** A task of an agent in the list. */
export function AgentRow({ task }: { task: AgentContract.TaskInList }) {
  const { task_id, task_type, status, progress_percentage: percent, metadata } = task;
  const title = submittedRequest(task_id)?.title || task.title;
  const labels = Object.entries(metadata).slice(0, MAX_LABELS);
  return (
    <li>
      <a class="row" href={`#/agents/${encodeURIComponent(task_id)}`}>
        <span class="row-name">
          <strong title={title ?? undefined}>{title || words(task_type)}</strong>
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

/** An empty list, with what to do next. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

type FilterProps = {
  label: string;
  value: string;
  options: string[];
  names?: Record<string, string>;
  onPick: (value: string) => void;
};

/** A choice that filters or sorts a list. A value from the URL is shown even if it is not among the choices. */
export const Filter = ({ label, value, options, names = {}, onPick }: FilterProps) => (
  <label class="filter">
    <span class="small muted">{label}</span>
    <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      {[...options, ...(options.includes(value) ? [] : [value])].map((option) => (
        <option key={option} value={option}>
          {names[option] ?? (option === '' ? 'All' : words(option))}
        </option>
      ))}
    </select>
  </label>
);

/** Filters the current page; the typed text never leaves the browser. */
export const Find = ({ value, onType }: { value: string; onType: (text: string) => void }) => (
  <label class="filter">
    <span class="small muted">Find on this page</span>
    <input type="search" value={value} onInput={(event) => onType(event.currentTarget.value)} />
  </label>
);

/** Whether any text of the entry, including title, id and metadata, contains the search text. */
export const matcherOf = (text: string): ((entry: object) => boolean) => {
  const searchText = text.trim().toLowerCase();
  return (entry) => searchText === '' || JSON.stringify(Object.values(entry)).toLowerCase().includes(searchText);
};

/** A search that finds nothing on the current page of a list. */
export const NothingFound = ({ text, hasMore, onClear }: { text: string; hasMore: boolean; onClear: () => void }) => (
  <Empty title="Nothing found">
    <p class="muted">
      No task on this page contains “{text.trim()}”.{hasMore && ' The other pages of the list are not searched.'}
    </p>
    <button type="button" class="button" onClick={onClear}>
      Clear the search
    </button>
  </Empty>
);

type Props = {
  from?: number;
  shownCount: number;
  total?: number;
  before: string | undefined;
  beforeName?: string;
  after: string | undefined;
};

/** Links to the previous and next page of a list. */
export function Pager({ from, shownCount, total, before, beforeName = 'Previous', after }: Props) {
  if (!before && !after) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <span class="small muted">
        {from !== undefined && shownCount > 0 && `${count(from + 1)} to ${count(from + shownCount)}`}
        {total !== undefined && ` of ${count(total)}`}
      </span>
      <span class="actions">
        <Step href={before}>{beforeName}</Step>
        <Step href={after}>Next</Step>
      </span>
    </nav>
  );
}

const Step = ({ href, children }: { href: string | undefined; children: string }) =>
  href ? (
    <a class="button" href={href}>
      {children}
    </a>
  ) : (
    <span class="button" aria-disabled="true">
      {children}
    </span>
  );

const WORDS = {
  off: 'Not live: reconnecting',
  connecting: 'Connecting',
  websocket: 'Live',
  polling: 'Refreshing every few seconds',
  lost: 'Not live: reconnecting',
} as const;

/** Shows whether the page updates by itself, and how. */
export function LiveMark() {
  const now = useStore(way);
  return (
    <span class={`live ${now}`} role="status">
      {WORDS[now]}
    </span>
  );
}
