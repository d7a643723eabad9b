/** Below the fields of every form: what went wrong with it, its button, and the way back. */
import { Fault } from '../ui/fault.tsx';

type Props = { form: { fault: Parameters<typeof Fault>[0]['fault']; isBusy: boolean }; back: string };

export const FormEnd = ({ form: { fault, isBusy }, back }: Props) => (
  <>
    <Fault fault={fault} />
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
