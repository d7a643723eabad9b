/** Submitting a stored input again: as it is, or changed in the form. */
import { useRef, useState } from 'preact/hooks';
import type { AgentContract, ErrandError, FilesContract } from '../../client/src/index.ts';
import { faultOf } from '../api.ts';
import { go } from '../current-place.ts';
import { remember, submittedRequest } from '../submitted-requests.ts';
import { Fault } from '../ui/fault.tsx';

export const agentBody = (stored: AgentContract.TaskInput): AgentContract.Submission => {
  const { task_type, input, priority, timeout_minutes, budget, webhook_url, metadata } = stored;
  return { task_type, input, priority, timeout_minutes, budget, webhook_url, metadata } as AgentContract.Submission;
};

/** `undefined`: an older task does not say which workflows its steps come from. */
export function promptBody(stored: FilesContract.TaskInput): FilesContract.NewTask | undefined {
  const { namespace, endpoint, budget } = stored;
  const { steps, ...input } = stored.input;
  if (steps.length > 0 && input.workflowIds.length === 0) return undefined;
  return {
    namespace: namespace ?? '',
    delivery: { type: 'webhook', config: { endpoint: endpoint ?? '' } },
    input: { type: 'chat', ...input },
    ...(budget ? { budget } : {}),
  } as FilesContract.NewTask;
}

type Props = {
  taskId: string;
  /** Where the form and the pages of such tasks are. */
  pages: '/agents' | '/prompts';
  /** Submits the stored input; returns the id of the new task. */
  submit: (idempotencyKey: string) => Promise<string>;
  label?: string;
  editLabel?: string;
  /** The title of the new task by that of this one. */
  titleOf?: (title: string) => string;
  isMain?: boolean;
};

export function SubmitAgain({
  taskId,
  pages,
  submit,
  label = 'Run again',
  editLabel = 'Edit and run',
  titleOf = (title) => title,
  isMain = false,
}: Props) {
  const [fault, setFault] = useState<ErrandError>();
  const [isBusy, setBusy] = useState(false);
  // A repeat after a lost response must not create a second task.
  const key = useRef(crypto.randomUUID());
  const run = async () => {
    if (isBusy) return;
    setBusy(true);
    setFault(undefined);
    try {
      const newId = await submit(key.current);
      const submittedHere = submittedRequest(taskId);
      if (submittedHere?.title) remember(newId, { ...submittedHere, title: titleOf(submittedHere.title) });
      go(`#${pages}/${encodeURIComponent(newId)}`);
    } catch (error) {
      const answered = faultOf(error);
      // What was rejected now may be accepted later.
      if (answered.status !== undefined) key.current = crypto.randomUUID();
      setFault(answered);
      setBusy(false);
    }
  };
  return (
    <>
      <button type="button" class={isMain ? 'button main' : 'button'} onClick={() => void run()} aria-disabled={isBusy}>
        {isBusy ? 'Submitting…' : label}
      </button>
      <a class="button" href={`#${pages}/new?from=${encodeURIComponent(taskId)}`}>
        {editLabel}
      </a>
      <Fault fault={fault} />
    </>
  );
}
