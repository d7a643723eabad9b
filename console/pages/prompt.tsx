/** One task of the Files & Tasks API, polled until it ends, and its result. */

import { useState } from 'preact/hooks';
import type { ErrandError, FilesContract } from '../../client/src/index.ts';
import { api, faultOf } from '../api.ts';
import { discardUrl } from '../config.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { learnFileNames } from '../files/file-names.ts';
import { headingOf } from '../form/request-summary.ts';
import { bytes, exactTime, words } from '../format.ts';
import { useApiData } from '../hooks.ts';
import type { PageProps } from '../location.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { mayPass, usePolled } from '../polling.ts';
import { Records, recordTables } from '../results/records.tsx';
import { maySubmit } from '../session.ts';
import { submittedRequest } from '../submitted-requests.ts';
import { factsOfPrompt, RequestCard } from '../task/facts.tsx';
import { shownStatus } from '../task/prompt-status.ts';
import { promptBody, SubmitAgain } from '../task/submit-again.tsx';
import { Fault, sentence } from '../ui/fault.tsx';
import { Badge } from '../ui/list.tsx';
import { Folded, Page, Time, Warnings } from '../ui/parts.tsx';

type Task = FilesContract.Task;

const POLL_MS = 1_500;

export function PromptPage({ params: { id = '' } }: PageProps) {
  const {
    data: task,
    fault,
    again,
    change,
  } = useApiData(id, (signal) => api().tasks.get(id, { signal, include: 'waiting' }));
  const isOpen = task?.status === 'waiting' || task?.status === 'active';
  usePolled(isOpen && mayPass(fault), POLL_MS, again);
  const { data: stored, fault: inputFault } = useApiData(`input ${id}`, async (signal) => {
    const input = await api().tasks.input(id, { signal });
    await learnFileNames(input.input.fileIds, signal);
    return input;
  });
  const title = headingOf(submittedRequest(id)?.title || stored?.input.prompt || '');
  const body = stored && promptBody(stored);
  const hasWebhook = (stored || inputFault) && stored?.endpoint !== discardUrl;
  return (
    <Page
      title={title || 'Prompt task'}
      about={
        <>
          {title && 'Prompt task · '}
          <code>{id}</code>
        </>
      }
      actions={
        task &&
        maySubmit() &&
        (isOpen ? (
          <CancelButton taskId={id} onDone={(next) => change(() => next)} />
        ) : (
          body && <PromptAgain key={id} taskId={id} body={body} />
        ))
      }
    >
      <p class="crumb">
        <a href="#/prompts">All prompt tasks</a>
      </p>
      <Fault fault={fault} onAgain={again} />
      {!task && !fault && <p class="muted wait">Loading…</p>}
      {task && (
        <div class="task">
          <Outcome task={task} onStale={again} />
          <RequestCard taskId={id} stored={stored && factsOfPrompt(stored)} />
          <Fault fault={inputFault} />
          {'completedAt' in task && hasWebhook && <Deliveries kind="prompts" taskId={id} />}
          <About task={task} />
        </div>
      )}
    </Page>
  );
}

const Outcome = ({ task, onStale }: { task: Task; onStale: () => void }) => (
  <>
    <State task={task} />
    {task.status === 'failure' && <WhyEnded error={task.error} />}
    {'warnings' in task && <Warnings warnings={task.warnings} />}
    {task.status === 'success' && <Answer output={task.output} onStale={onStale} />}
    {task.status === 'failure' && task.partial && (
      <>
        <Record output={task.partial} />
        <Steps steps={task.partial.steps} />
      </>
    )}
  </>
);

function CancelButton({ taskId, onDone }: { taskId: string; onDone: (task: Task) => void }) {
  const [fault, setFault] = useState<ErrandError>();
  const cancel = () => {
    setFault(undefined);
    api()
      .tasks.cancel(taskId)
      .then(onDone, (error) => setFault(faultOf(error)));
  };
  return (
    <>
      <button type="button" class="button danger" onClick={cancel}>
        Cancel task
      </button>
      <Fault fault={fault} />
    </>
  );
}

const PromptAgain = ({ taskId, body }: { taskId: string; body: FilesContract.NewTask }) => (
  <SubmitAgain
    taskId={taskId}
    pages="/prompts"
    submit={async (idempotencyKey) => (await api().tasks.create(body, { idempotencyKey })).taskId}
  />
);

function State({ task }: { task: Task }) {
  const status = shownStatus(task);
  return (
    <>
      <p class="ended-state" aria-live="polite">
        <Badge state={status} />
        {'completedAt' in task && (
          <span class="muted small">
            <Time at={task.completedAt} />
          </span>
        )}
      </p>
      {task.status === 'active' && task.waitingFor && <p class="notice">{sentence(task.waitingFor)}</p>}
      {task.status === 'active' && <progress aria-label="In progress" />}
      {task.status === 'waiting' && <progress value={0} max={1} aria-label="Waiting" />}
    </>
  );
}

/** What a user cancelled is no error. */
const WhyEnded = ({ error: { code, message } }: { error: FilesContract.FailedTask['error'] }) =>
  code === 'TASK_CANCELLED' ? (
    <p class="notice">{sentence(message)}</p>
  ) : (
    <div class="notice bad">
      <p>
        <strong>{sentence(words(code.toLowerCase()))}</strong> {sentence(message)}
      </p>
    </div>
  );

const About = ({ task }: { task: Task }) => (
  <section class="card">
    <h2>About this task</h2>
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

/** The results of a workflow's steps, folded. */
const Steps = ({ steps = [] }: Pick<Output, 'steps'>) => (
  <>
    {steps.map(({ number, name, text, truncated }) => (
      <Folded key={number} title={`Step ${number}: ${name}`}>
        <Markdown text={text} />
        {truncated && <p class="muted small">The text was shortened; the archive has all of it.</p>}
      </Folded>
    ))}
  </>
);

function Answer({ output, onStale }: { output: Output; onStale: () => void }) {
  const { text, steps, archive } = output;
  // With a record, the answer is more than what the last step came to.
  const last = output.fields ? undefined : steps?.at(-1);
  return (
    <>
      <Record output={output} />
      <Steps steps={last ? steps?.slice(0, -1) : steps} />
      <section class="card">
        <h2>{last ? `Step ${last.number}: ${last.name}` : 'Answer'}</h2>
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
