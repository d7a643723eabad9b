/** An error as text: what happened, what to do, and the request id for the operator. */
import type { ErrandError } from '../../client/src/index.ts';
import { remedyOf, sentence } from '../error-texts.ts';
import { answeredFaults, type Reasons, reasonsOf } from '../form/field-spec.ts';

type Props = {
  fault: ErrandError | undefined;
  /** Errors that a form marks at its fields; those of no field have an empty name. Elsewhere the error shows all of them. */
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

/** Replaces the service's field names with the labels that the reader sees. */
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
