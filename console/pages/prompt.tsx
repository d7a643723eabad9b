/** One task of the Files & Tasks API, polled until it ends, and its result. */

import { useState } from 'preact/hooks';
import type { ErrandError, FilesContract } from '../../client/src/index.ts';
import { api, faultOf } from '../api.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { bytes, exactTime, words } from '../format.ts';
import { mayPass, useAsked, usePolled } from '../hooks.ts';
import type { PageProps } from '../location.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { Records, recordTables } from '../results/records.tsx';
import { maySubmit } from '../session.ts';
import { factsOfPrompt, WhatWasAsked } from '../task/facts.tsx';
import { Fault, sentence } from '../ui/fault.tsx';
import { Badge } from '../ui/list.tsx';
import { Page, Warnings } from '../ui/parts.tsx';

type Task = FilesContract.Task;

const POLL_MS = 1_500;

export function PromptPage({ params: { id = '' } }: PageProps) {
  const { data: task, fault, again, change } = useAsked(id, (signal) => api().tasks.get(id, { signal }));
  const [refused, setRefused] = useState<ErrandError>();
  const isOpen = task?.status === 'waiting' || task?.status === 'active';
  usePolled(isOpen && mayPass(fault), POLL_MS, again);
  const cancel = async () => {
    setRefused(undefined);
    await api()
      .tasks.cancel(id)
      .then(
        (next) => change(() => next),
        (error) => setRefused(faultOf(error)),
      );
  };
  return (
    <Page
      title="Prompt task"
      about={<code>{id}</code>}
      actions={
        isOpen &&
        maySubmit() && (
          <button type="button" class="button danger" onClick={cancel}>
            Cancel task
          </button>
        )
      }
    >
      <p class="crumb">
        <a href="#/prompts">All prompt tasks</a>
      </p>
      <Fault fault={fault} onAgain={again} />
      <Fault fault={refused} />
      {!task && !fault && <p class="muted wait">Loading…</p>}
      {task && (
        <div class="task">
          <Head task={task} />
          <WhatWasAsked taskId={id} load={async (signal) => factsOfPrompt(await api().tasks.input(id, { signal }))} />
          {'warnings' in task && <Warnings warnings={task.warnings} />}
          {task.status === 'failure' && (
            <div class="notice bad">
              <p>
                <strong>{sentence(words(task.error.code.toLowerCase()))}</strong> {sentence(task.error.message)}
              </p>
            </div>
          )}
          {task.status === 'success' && <Answer output={task.output} onStale={again} />}
          {task.status === 'failure' && task.partial && <Record output={task.partial} />}
          {'completedAt' in task && <Deliveries kind="prompts" taskId={id} />}
        </div>
      )}
    </Page>
  );
}

const Head = ({ task }: { task: Task }) => (
  <section class="card timeline">
    <div class="timeline-head">
      <Badge state={task.status} />
    </div>
    {task.status === 'active' && <progress aria-label="In progress" />}
    {task.status === 'waiting' && <progress value={0} max={1} aria-label="Waiting" />}
    <p class="unseen" aria-live="polite">
      {words(task.status)}
    </p>
    <dl class="facts">
      <div>
        <dt>Namespace</dt>
        <dd>{task.namespace}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>{exactTime(task.createdAt)}</dd>
      </div>
      {'completedAt' in task && (
        <div>
          <dt>Ended</dt>
          <dd>{exactTime(task.completedAt)}</dd>
        </div>
      )}
    </dl>
  </section>
);

type Output = FilesContract.SucceededTask['output'];

/** Values from several files together are in a row of their own. */
function Record({ output: { documents = [], fields } }: { output: Pick<Output, 'documents' | 'fields'> }) {
  const document = documents.length === 1 ? 1 : 0;
  const tables = fields
    ? recordTables({
        documents: [{ document: 0, name: `All ${documents.length} files` }, ...documents],
        records: [{ document, fields }],
      })
    : [];
  return tables.length > 0 ? <Records tables={tables} /> : null;
}

function Answer({ output, onStale }: { output: Output; onStale: () => void }) {
  const { text, archive } = output;
  return (
    <>
      <Record output={output} />
      <section class="card">
        <h2>Answer</h2>
        <Markdown text={text} />
      </section>
      {archive && (
        <section class="card files">
          <h2>Archive of all result files</h2>
          <ul>
            <li>
              <span class="clip">ZIP</span>
              <span class="muted small nowrap">{bytes(archive.sizeBytes)}</span>
              {Date.parse(archive.expiresAt) < Date.now() ? (
                <button type="button" class="button" onClick={onStale}>
                  Ask for it again
                </button>
              ) : (
                <a class="button" href={archive.presignedUrl} rel="noopener noreferrer">
                  Download
                </a>
              )}
            </li>
          </ul>
        </section>
      )}
    </>
  );
}
