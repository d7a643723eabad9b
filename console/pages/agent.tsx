/** One task of an agent: what it was asked, its results, and behind them how they came about. */
import { useEffect } from 'preact/hooks';
import type { AgentContract, TaskNews } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { Deliveries } from '../deliveries/deliveries.tsx';
import { learnFileNames } from '../files/file-names.ts';
import { AGENT_FORMS, fieldsOf } from '../form/agent-forms.ts';
import { headingOf, previewTitle } from '../form/request-summary.ts';
import { fileIdsIn, filledForm } from '../form/stored-input.ts';
import { words } from '../format.ts';
import { type ApiAnswer, useApiData } from '../hooks.ts';
import { addListener } from '../live.ts';
import type { PageProps } from '../location.ts';
import { hasFoundNothing } from '../results/report.tsx';
import { maySubmit } from '../session.ts';
import { submittedRequest } from '../submitted-requests.ts';
import { Activity } from '../task/activity.tsx';
import { CancelButton } from '../task/cancel.tsx';
import { factsOfAgentInput, RequestCard, TaskFacts } from '../task/facts.tsx';
import { PreviewActions, PreviewedMail } from '../task/preview.tsx';
import { Results, ResultsSoFar, useResults } from '../task/results.tsx';
import { agentBody, SubmitAgain } from '../task/submit-again.tsx';
import { EndedState, SoFar, Stages, Timeline } from '../task/timeline.tsx';
import { statusAfter } from '../task-updates.ts';
import { Fault, sentence } from '../ui/fault.tsx';
import { LiveMark } from '../ui/list.tsx';
import { Folded, Page, Warnings } from '../ui/parts.tsx';

type Status = AgentContract.TaskStatus;
type Stored = AgentContract.TaskInput;

/** Only the status contains stages and previews, and an organization may request it 25 times a minute. */
const LOOK_MS = 6_000;

export function AgentPage({ params: { id = '' } }: PageProps) {
  const answer = useApiData(id, (signal) => api().agents.status(id, { signal }));
  const { data: task, fault, again } = answer;
  useLiveStatus(id, answer);
  const { data: stored, fault: inputFault } = useApiData(`input ${id}`, (signal) => inputOf(id, signal));
  const isOpen = task && ['pending', 'processing', 'cancelling'].includes(task.status);
  const title = submittedRequest(id)?.title || (stored && titleOf(stored)) || '';
  return (
    <Page
      title={headingOf(title) || (task ? words(task.task_type) : 'Agent task')}
      about={
        <>
          {task && title && `${words(task.task_type)} · `}
          <code>{id}</code>
        </>
      }
      actions={
        <>
          {isOpen && <LiveMark />}
          {isOpen && maySubmit() && <CancelButton taskId={id} onDone={again} />}
          {task && !isOpen && stored && maySubmit() && <AgentAgain stored={stored} status={task.status} />}
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
          {isOpen ? (
            <Unfinished task={task} isPreview={stored?.preview} />
          ) : (
            <Finished key={task.task_id + task.status + task.last_updated} task={task} />
          )}
          <RequestCard taskId={id} stored={stored && factsOfAgentInput(stored)} />
          <Fault fault={inputFault} />
          {!isOpen && <StagesAndActivity task={task} />}
          {task.webhook_configured && <Deliveries kind="agents" taskId={id} state={task.status} />}
          <TaskFacts task={task} />
        </div>
      )}
    </Page>
  );
}

const Unfinished = ({ task, isPreview }: { task: Status; isPreview: true | undefined }) => (
  <>
    <Timeline task={task} isPreview={isPreview} />
    <Warnings warnings={task.warnings} />
    {task.task_type === 'research_agent' && <Activity key={task.task_id} task={task} />}
    <ResultsSoFar task={task} />
  </>
);

/**
 * The results come first; how they came about is below the request. The notes of a report say what a reader must know
 * first; if nothing was found, the warnings do, as they say how to go on.
 */
const Finished = ({ task }: { task: Status }) => {
  const answer = useResults(task.task_id);
  const isNothingFound = answer.data !== undefined && hasFoundNothing(answer.data.results);
  const warnings = <Warnings warnings={task.warnings} />;
  const isReportFirst = task.task_type === 'research_agent' && task.status === 'completed' && !isNothingFound;
  return (
    <>
      <EndedState task={task} isNothingFound={isNothingFound} />
      <WhyEnded task={task} />
      {!isReportFirst && warnings}
      <PreviewedMail answer={answer} />
      <Results answer={answer} />
      {isReportFirst && warnings}
    </>
  );
};

const StagesAndActivity = ({ task }: { task: Status }) => (
  <Folded title="Stages and activity">
    <Stages task={task} />
    <SoFar preview={task.output_preview} />
    {task.task_type === 'research_agent' && <Activity task={task} />}
  </Folded>
);

async function inputOf(id: string, signal: AbortSignal): Promise<Stored> {
  const stored = await api().agents.input(id, { signal });
  const fields = fieldsOfType(stored);
  await learnFileNames(fileIdsIn(filledForm(agentBody(stored), fields).values, fields), signal);
  return stored;
}

const formOf = ({ task_type }: Stored) => AGENT_FORMS.find(({ type }) => type === task_type);

function fieldsOfType(stored: Stored) {
  const form = formOf(stored);
  return form ? fieldsOf(form) : [];
}

function titleOf(stored: Stored): string {
  const title = formOf(stored)?.titleOf(filledForm(agentBody(stored), fieldsOfType(stored)).values) ?? '';
  return stored.preview ? previewTitle(title) : title;
}

const AgentAgain = ({ stored, status }: { stored: Stored; status: Status['status'] }) =>
  stored.preview ? (
    <PreviewActions key={stored.task_id} stored={stored} isCompleted={status === 'completed'} />
  ) : (
    <SubmitAgain
      key={stored.task_id}
      taskId={stored.task_id}
      pages="/agents"
      submit={async (idempotencyKey) => (await api().agents.submit(agentBody(stored), { idempotencyKey })).task_id}
    />
  );

/** The error of a failed task, with the stage in which it failed. What a user cancelled is no error. */
function WhyEnded({ task }: { task: Status }) {
  const { status, error } = task;
  if (status === 'cancelled') return <p class="notice">{sentence(error?.message ?? 'The task was cancelled')}</p>;
  if (!error) return null;
  return (
    <div class="notice bad">
      <p>
        <strong>{sentence(words(error.code.toLowerCase()))}</strong> {sentence(error.message)}
      </p>
      <Stages task={task} />
    </div>
  );
}

/** Applies each update at once, and polls the status occasionally for what updates do not contain. */
function useLiveStatus(id: string, { change, again }: ApiAnswer<Status>): void {
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
    const deaf = addListener({ heard: received, missed: look });
    return () => {
      clearTimeout(later);
      deaf();
    };
  }, [id, change, again]);
}
