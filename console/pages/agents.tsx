/** The tasks of background agents in pages, with live updates. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { AgentContract, TaskNews } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { AGENT_STATUSES, AGENT_TYPES } from '../contract/words.ts';
import { useQueryText } from '../current-place.ts';
import { count } from '../format.ts';
import { type ApiAnswer, useApiData } from '../hooks.ts';
import { addListener } from '../live.ts';
import { hrefOf, type PageProps } from '../location.ts';
import { maySubmit } from '../session.ts';
import { isOfPage, mayEnterPage, pageAfterUpdate } from '../task-updates.ts';
import { Fault } from '../ui/fault.tsx';
import { AgentRow, Empty, Filter, Find, LiveMark, matcherOf, NothingFound, Pager } from '../ui/list.tsx';
import { Page } from '../ui/parts.tsx';

type Status = AgentContract.TaskStatus['status'];
type Type = AgentContract.TaskInList['task_type'];

const PAGE_SIZE = 25;
const ORDERS = {
  '': 'Newest first',
  'created_at.asc': 'Oldest first',
  completed_at: 'Last ended',
  priority: 'Priority',
};
/** Updates of tasks on other pages come in bursts, and an organization may list 1,000 times an hour. */
const SOON_MS = 1_000;
const SELDOM_MS = 10_000;

export function AgentsPage({ query }: PageProps) {
  const { text, set } = useQueryText(query);
  const offset = Math.max(0, Math.min(10_000, Math.trunc(Number(text('offset'))) || 0));
  const [sort = '', order = ''] = text('sort').split('.');
  const key = query.toString();
  const { data, fault, isLoading, again, change } = useApiData(key, (signal) =>
    api().agents.page({
      offset,
      pageSize: PAGE_SIZE,
      include: 'title',
      signal,
      ...(text('status') ? { status: text('status') as Status } : {}),
      ...(text('type') ? { task_type: text('type') as Type } : {}),
      ...(sort ? { sort_by: sort as 'created_at' } : {}),
      ...(order === 'asc' ? { sort_order: 'asc' as const } : {}),
    }),
  );
  useLiveList(data, { again, change });
  const [find, setFind] = useState('');
  const matches = data?.tasks.filter(matcherOf(find)) ?? [];
  const total = data?.pagination.total_count ?? 0;
  const isFiltered = Boolean(text('status') || text('type'));
  return (
    <Page
      title="Agent tasks"
      at={String(offset)}
      about={
        data &&
        `${count(total)}${data.pagination.total_count_capped ? ' newest' : ''} ${total === 1 ? 'task' : 'tasks'}`
      }
      actions={
        <>
          <LiveMark />
          {maySubmit() && (
            <a class="button main" href="#/agents/new">
              New task
            </a>
          )}
        </>
      }
    >
      <div class="filters">
        <Filter
          label="Status"
          value={text('status')}
          options={['', ...AGENT_STATUSES]}
          onPick={(status) => set({ status })}
        />
        <Filter label="Agent" value={text('type')} options={['', ...AGENT_TYPES]} onPick={(type) => set({ type })} />
        <Filter
          label="Order"
          value={text('sort')}
          options={Object.keys(ORDERS)}
          names={ORDERS}
          onPick={(sort) => set({ sort })}
        />
        <Find value={find} onType={setFind} />
      </div>
      <Fault fault={fault} onAgain={again} />
      {data?.tasks.length === 0 && <Nothing isFiltered={isFiltered || offset > 0} />}
      {data && data.tasks.length > 0 && matches.length === 0 && (
        <NothingFound text={find} hasMore={total > data.tasks.length} onClear={() => setFind('')} />
      )}
      <ul class="rows" aria-busy={isLoading} aria-label="Agent tasks">
        {matches.map((task) => (
          <AgentRow key={task.task_id} task={task} />
        ))}
      </ul>
      {data && (
        <Pager
          from={offset}
          shownCount={data.tasks.length}
          total={total}
          before={offset > 0 ? pageHref(query, Math.max(0, offset - PAGE_SIZE) || undefined) : undefined}
          after={data.pagination.has_next ? pageHref(query, offset + PAGE_SIZE) : undefined}
        />
      )}
    </Page>
  );
}

const pageHref = (query: URLSearchParams, offset: number | undefined): string =>
  hrefOf('/agents', { ...Object.fromEntries(query), offset });

type TaskPage = AgentContract.TaskPage;

/** Updates a task on the page at once; for other tasks it reloads the page, as they may belong to it. */
function useLiveList(
  data: TaskPage | undefined,
  { again, change }: Pick<ApiAnswer<TaskPage>, 'again' | 'change'>,
): void {
  const current = useRef(data);
  current.current = data;
  const isThere = data !== undefined;
  useEffect(() => {
    // Listens only after the list was loaded; `missed` then reloads what happened in between.
    if (!isThere) return;
    let later: ReturnType<typeof setTimeout> | undefined;
    let lookedAt = 0;
    const look = () => {
      later = undefined;
      lookedAt = Date.now();
      again();
    };
    const lookSoon = () => {
      later ??= setTimeout(look, Math.max(SOON_MS, lookedAt + SELDOM_MS - Date.now()));
    };
    const received = (update: TaskNews) => {
      if (isOfPage(current.current, update)) change((before) => pageAfterUpdate(before, update));
      else if (mayEnterPage(current.current, update)) lookSoon();
    };
    const removeListener = addListener({ heard: received, missed: lookSoon });
    return () => {
      clearTimeout(later);
      removeListener();
    };
  }, [again, change, isThere]);
}

const Nothing = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="Nothing fits">
      <p>
        No tasks with this status and type. <a href="#/agents">Show all</a>
      </p>
    </Empty>
  ) : (
    <Empty title="No tasks yet">
      <p class="muted">Ask an agent to research a question, extract from documents, or send notifications.</p>
      {maySubmit() && (
        <a class="button main" href="#/agents/new">
          Create the first task
        </a>
      )}
    </Empty>
  );
