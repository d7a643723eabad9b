/** The e-mail of a preview, as its recipients would see it, and the ways on from it. */
import type { AgentContract } from '../../client/src/index.ts';
import { api } from '../api.ts';
import { previewTitle } from '../form/request-summary.ts';
import { dropDraft } from '../form/use-form.ts';
import { count } from '../format.ts';
import type { ApiAnswer } from '../hooks.ts';
import { FileView } from '../results/result-files.tsx';
import { Letters } from '../ui/parts.tsx';
import { agentBody, SubmitAgain } from './submit-again.tsx';

type Results = AgentContract.NotificationResults;
type Preview = NonNullable<Results['preview']>;
type Stored = AgentContract.TaskInput;

export function PreviewedMail({ answer: { data, again } }: { answer: ApiAnswer<AgentContract.TaskResults> }) {
  const results = data?.results as Results | undefined;
  const preview = results?.preview;
  if (!preview) return null;
  const html = results?.files?.find(({ name }) => name === preview.html_file);
  return (
    <>
      <p class="notice">{previewOutcome(preview, results.condition?.why)}</p>
      <section class="card stack" aria-label="The e-mail">
        <h2>{preview.subject}</h2>
        {html ? (
          <FileView file={html} title="The e-mail as its recipients see it" onStale={again} />
        ) : (
          <Letters label="The e-mail as its recipients see it" text={preview.text} class="file-text letters" />
        )}
      </section>
    </>
  );
}

function previewOutcome({ would_go_to: readers, would_be_sent: isSent }: Preview, why = ''): string {
  const who = `${count(readers)} ${readers === 1 ? 'recipient' : 'recipients'}`;
  const outcome = isSent
    ? `It would go to ${who}.`
    : `Its condition does not hold now, so it would not be sent to ${who}. ${why}`;
  return `This is a preview, which nobody got. ${outcome}`.trim();
}

/** Sends what was previewed, or previews it again if there is nothing to see; each is a new task. */
export function PreviewActions({ stored, isCompleted }: { stored: Stored; isCompleted: boolean }) {
  const body = agentBody(stored);
  const common = { taskId: stored.task_id, pages: '/agents', editLabel: 'Edit' } as const;
  if (!isCompleted)
    return (
      <SubmitAgain
        {...common}
        label="Preview again"
        submit={async (idempotencyKey) =>
          (await api().agents.previewNotification(body as AgentContract.NotificationPreview, { idempotencyKey }))
            .task_id
        }
      />
    );
  const { schedule } = stored.input as { schedule?: object | null };
  return (
    <SubmitAgain
      {...common}
      isMain
      label={schedule ? 'Schedule' : 'Send now'}
      titleOf={(title) => title.slice(title.startsWith(previewTitle('')) ? previewTitle('').length : 0)}
      submit={async (idempotencyKey) => {
        const { task_id } = await api().agents.submit(body, { idempotencyKey });
        // The form keeps what is previewed; what was sent must not be sent again from there.
        dropDraft(stored.task_type);
        return task_id;
      }}
    />
  );
}
