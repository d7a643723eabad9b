/** The button that cancels a task of an agent, and its dialog. */
import { useRef } from 'preact/hooks';
import { api } from '../api.ts';
import { CANCEL_WISH } from '../contract/bodies.ts';
import type { FieldSpec } from '../form/field-spec.ts';
import { FormField } from '../form/form-fields.tsx';
import { useForm } from '../form/use-form.ts';
import { remember } from '../submitted-requests.ts';
import { Fault } from '../ui/fault.tsx';

const FIELDS: FieldSpec[] = [
  { path: 'reason', label: 'Reason', kind: 'text' },
  { path: 'force', label: 'Stop immediately, in the middle of a stage', kind: 'flag' },
];

export function CancelButton({ taskId, onDone }: { taskId: string; onDone: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const form = useForm({
    name: `cancel ${taskId}`,
    schema: CANCEL_WISH,
    start: {},
    fields: FIELDS,
    send: async (body, idempotencyKey) => {
      const { reason } = await api().agents.cancel(taskId, body, { idempotencyKey });
      // Only this response contains the reason.
      if (reason) remember(taskId, { title: '', facts: [['Reason', reason]] });
      dialog.current?.close();
      onDone();
    },
  });
  return (
    <>
      <button type="button" class="button danger" onClick={() => dialog.current?.showModal()}>
        Cancel task
      </button>
      <dialog ref={dialog} aria-labelledby="cancel-title">
        <form class="stack" onSubmit={form.submit} noValidate>
          <h2 id="cancel-title">Cancel this task?</h2>
          <p class="muted">The output of its finished stages is kept.</p>
          <Fault fault={form.fault} marked={form.reasons} />
          {FIELDS.map((spec) => (
            <FormField key={spec.path} spec={spec} schema={CANCEL_WISH} form={form} />
          ))}
          <div class="actions">
            <button type="submit" class="button danger" aria-disabled={form.isBusy}>
              Cancel the task
            </button>
            <button type="button" class="button" onClick={() => dialog.current?.close()}>
              Keep running
            </button>
          </div>
        </form>
      </dialog>
    </>
  );
}
