/** Tasks of the Files & Tasks API: prompts with files, newest first. They have no updates, so open ones are polled. */

import { useState } from 'preact/hooks';
import type { FilesContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { PROMPT_STATUSES } from '../contract/words.ts';
import { useQueryText } from '../current-place.ts';
import { shortId } from '../format.ts';
import { useApiData } from '../hooks.ts';
import { hrefOf, type PageProps } from '../location.ts';
import { mayPass, usePolled } from '../polling.ts';

import { maySubmit } from '../session.ts';
import { submittedRequest } from '../submitted-requests.ts';
import { shownStatus } from '../task/prompt-status.ts';
import { Fault } from '../ui/fault.tsx';
import { Badge, Empty, Filter, Find, matcherOf, NothingFound, Pager } from '../ui/list.tsx';
import { Page, Time } from '../ui/parts.tsx';

type Task = FilesContract.TaskInList;

const PAGE_SIZE = 25;
const OPEN_MS = 2_500;
const QUIET_MS = 10_000;

const isOpen = ({ status }: Task): boolean => status === 'waiting' || status === 'active';

export function PromptsPage({ query }: PageProps) {
  const { text, set } = useQueryText(query);
  const [namespace, status, cursor] = [text('namespace'), text('status'), text('cursor')];
  const { data, fault, isLoading, again } = useApiData(query.toString(), (signal) =>
    api().tasks.page({
      pageSize: PAGE_SIZE,
      include: 'title',
      signal,
      ...(namespace ? { namespace } : {}),
      ...(status ? { status: status as Task['status'] } : {}),
      ...(cursor ? { cursor } : {}),
    }),
  );
  // New tasks appear on the first page only.
  const isMoving = data?.tasks.some(isOpen) === true;
  usePolled(mayPass(fault) && (isMoving || cursor === ''), isMoving ? OPEN_MS : QUIET_MS, again);
  const [find, setFind] = useState('');
  const matches = data?.tasks.filter(matcherOf(find)) ?? [];
  const hasMore = cursor !== '' || Boolean(data?.nextCursor);
  const place = Object.fromEntries(query);
  return (
    <Page
      title="Prompt tasks"
      at={cursor}
      about="Prompts with files, and their answers."
      actions={
        maySubmit() && (
          <a class="button main" href="#/prompts/new">
            New task
          </a>
        )
      }
    >
      <div class="filters">
        <Filter
          label="Status"
          value={status}
          options={['', ...PROMPT_STATUSES]}
          onPick={(next) => set({ status: next, cursor: '' })}
        />
        <Namespace value={namespace} onPick={(next) => set({ namespace: next, cursor: '' })} />
        <Find value={find} onType={setFind} />
      </div>
      <Fault fault={fault} onAgain={again} />
      {data?.tasks.length === 0 && <Nothing isFiltered={namespace + status + cursor !== ''} />}
      {data && data.tasks.length > 0 && matches.length === 0 && (
        <NothingFound text={find} hasMore={hasMore} onClear={() => setFind('')} />
      )}
      <ul class="rows" aria-busy={isLoading} aria-label="Prompt tasks">
        {matches.map((task) => (
          <Row key={task.taskId} task={task} />
        ))}
      </ul>
      {data && (
        <Pager
          shownCount={data.tasks.length}
          before={cursor ? hrefOf('/prompts', { ...place, cursor: undefined }) : undefined}
          beforeName="Newest"
          after={data.nextCursor ? hrefOf('/prompts', { ...place, cursor: data.nextCursor }) : undefined}
        />
      )}
    </Page>
  );
}

/** Filters when the input is complete, not at each key. */
function Namespace({ value, onPick }: { value: string; onPick: (text: string) => void }) {
  const [text, setText] = useState(value);
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        onPick(text.trim());
      }}
    >
      <label class="filter">
        <span class="small muted">Namespace</span>
        <input
          type="search"
          value={text}
          maxLength={128}
          onInput={(event) => setText(event.currentTarget.value)}
          onChange={(event) => onPick(event.currentTarget.value.trim())}
        />
      </label>
    </form>
  );
}

function Row({ task }: { task: Task }) {
  const title = submittedRequest(task.taskId)?.title || task.title;
  return (
    <li>
      <a class="row" href={`#/prompts/${encodeURIComponent(task.taskId)}`}>
        <span class="row-name">
          <strong title={title ?? undefined}>{title || task.namespace}</strong>
          <span class="small muted">
            {title && `${task.namespace} · `}
            <code>{shortId(task.taskId)}</code>
            {'error' in task && shownStatus(task) !== 'cancelled' && <span class="label">{task.error.message}</span>}
            {'output' in task && <span class="label">{task.output.text.slice(0, 120)}</span>}
          </span>
        </span>
        <Badge state={shownStatus(task)} />
        <span class="row-progress">
          {/* This API reports no progress, so the bar of an active task is indeterminate. */}
          <progress
            max={1}
            {...(task.status === 'active' ? {} : { value: isOpen(task) ? 0 : 1 })}
            aria-label="Progress"
          />
          <span />
        </span>
        <span class="small muted row-time">
          <Time at={task.createdAt} />
        </span>
        <span class="row-took" />
      </a>
    </li>
  );
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="Nothing fits">
      <p>
        No tasks with this namespace and status. <a href="#/prompts">Show all</a>
      </p>
    </Empty>
  ) : (
    <Empty title="No tasks yet">
      <p class="muted">Attach files, write a prompt, and read the answer here.</p>
      {maySubmit() && (
        <a class="button main" href="#/prompts/new">
          Write the first prompt
        </a>
      )}
    </Empty>
  );
