/** An error in words: what happened, what to do, and the id to ask the operator with. */
import type { ErrandError } from '../../client/src/index.ts';
import { remedyOf, sentence } from '../error-texts.ts';
import { answeredFaults, type Reasons, reasonsOf } from '../form/field-spec.ts';

type Props = {
  fault: ErrandError | undefined;
  /** What a form marks at its fields; what stands at none of them has no name. Elsewhere the fault tells all of it. */
  marked?: Reasons;
  onAgain?: () => void;
};

export function Fault({ fault, marked, onAgain }: Props) {
  if (!fault || fault.code === 'ABORTED') return null;
  return (
    <div class="notice bad" role="alert">
      <What fault={fault} reasons={marked ?? reasonsOf(answeredFaults(fault, []), [])} />
      {fault.requestId && (
        <p class="small muted">
          Request id <code>{fault.requestId}</code>
        </p>
      )}
      {onAgain && (
        <button type="button" class="button" onClick={onAgain}>
          Try again
        </button>
      )}
    </div>
  );
}

/** The service names fields as programs do: in their place stands what the reader sees. */
function What({ fault, reasons: { '': named = [], ...atFields } }: { fault: ErrandError; reasons: Reasons }) {
  const isMarked = Object.values(atFields).some(Boolean);
  if (!isMarked && named.length === 0) {
    return (
      <p>
        <strong>{sentence(fault.message)}</strong> {remedyOf(fault)}
      </p>
    );
  }
  return (
    <>
      <p>
        <strong>This was not accepted.</strong>{' '}
        {isMarked ? 'Correct the marked fields, then try again.' : remedyOf(fault)}
      </p>
      {named.map((reason) => (
        <p key={reason}>{sentence(reason)}</p>
      ))}
    </>
  );
}
