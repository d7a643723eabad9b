/** One task of an agent: how far it is, what it was, what came out. */

import { useEffect } from 'preact/hooks';
import type { AgentContract, TaskNews } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { sentence } from '../error-texts.ts';
import { words } from '../format.ts';
import { type ApiAnswer, useAsked } from '../hooks.ts';
import { hear } from '../live.ts';
import type { PageProps } from '../location.ts';
import { maySubmit } from '../session.ts';
import { CancelButton } from '../task/cancel.tsx';
import { factsOfAgentInput, TaskFacts, WhatWasAsked } from '../task/facts.tsx';
import { Timeline } from '../task/progress.tsx';
import { TaskResults } from '../task/results.tsx';
import { statusAfter } from '../task-updates.ts';
import { Fault } from '../ui/fault.tsx';
import { LiveMark } from '../ui/list.tsx';
import { Page, Warnings } from '../ui/parts.tsx';

type Status = AgentContract.TaskStatus;

/** Stages and previews come with the status alone, of which an organization may ask 25 a minute. */
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
          <TaskResults task={task} />
          {task.webhook_configured && <Deliveries kind="agents" taskId={id} state={task.status} />}
          <TaskFacts task={task} />
        </div>
      )}
    </Page>
  );
}

/** Moves at once with each message, and looks at the status now and then for what messages do not say. */
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
