/** Below the fields of every form: what went wrong with it, its button, and the way back. */
import { Fault } from '../ui/fault.tsx';
import type { Form } from './use-form.ts';

type Props = { form: Pick<Form, 'fault' | 'reasons' | 'isBusy'>; back: string };

export const FormEnd = ({ form: { fault, reasons, isBusy }, back }: Props) => (
  <>
    <Fault fault={fault} marked={reasons} />
    <div class="actions">
      <button type="submit" class="button main" aria-disabled={isBusy}>
        {isBusy ? 'Sending…' : 'Submit'}
      </button>
      <a class="button quiet" href={back}>
        Back to the list
      </a>
    </div>
  </>
);
