/** An error as text: what happened, what to do, and the request id for the operator. */
import type { ErrandCode, ErrandError } from '../../client/src/index.ts';
import { answeredFaults, type Reasons, reasonsOf } from '../form/field-faults.ts';

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
      <FaultText fault={fault} reasons={marked ?? reasonsOf(answeredFaults(fault, []), [])} />
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
function FaultText({
  fault,
  reasons: { '': otherReasons = [], ...atFields },
}: {
  fault: ErrandError;
  reasons: Reasons;
}) {
  const isMarked = Object.values(atFields).some(Boolean);
  if (!isMarked && otherReasons.length === 0) {
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
      {otherReasons.map((reason) => (
        <p key={reason}>{sentence(reason)}</p>
      ))}
    </>
  );
}

type ShownError = { code: ErrandCode; retryAfterSeconds?: number | undefined; requestId?: string | undefined };

const CORRECT_THAT = 'Correct the fields named here, then try again.';

const WORDS: Partial<Record<ErrandCode, string>> = {
  INVALID_REQUEST: CORRECT_THAT,
  TASK_VALIDATION_FAILED: CORRECT_THAT,
  UNAUTHORIZED: 'Check what you entered, or sign in again.',
  FORBIDDEN: 'Your role does not allow this. Ask an admin of your organization, or the operator.',
  NOT_FOUND: 'It may have expired or been deleted. Go back to the list.',
  TASK_NOT_FOUND: 'It may have expired. Go back to the list.',
  TASK_NOT_COMPLETED: 'Wait until the task has finished.',
  TASK_NOT_CANCELLABLE: 'It has already finished: read its results.',
  IDEMPOTENCY_CONFLICT: 'The same call is still running. Wait a moment, then look at the list.',
  PAYLOAD_TOO_LARGE: 'Send less in one request; upload large content as a file.',
  NETWORK: 'Check your connection, and whether the service is running; then try again.',
  TIMEOUT: 'Try again in a moment.',
  NOT_ERRAND: 'The response came from something else, such as a proxy. Check your network.',
  UPLOAD_FAILED: 'Upload it again.',
};

export function remedyOf({ code, retryAfterSeconds, requestId }: ShownError): string {
  if (code === 'RATE_LIMIT_EXCEEDED')
    return `Your organization has made too many calls. Try again ${retryText(retryAfterSeconds)}.`;
  if (code === 'INSUFFICIENT_RESOURCES') return `The service is busy. Try again ${retryText(retryAfterSeconds)}.`;
  return WORDS[code] ?? `Try again.${requestId ? ' If it stays, give the operator the request id.' : ''}`;
}

function retryText(seconds: number | undefined): string {
  if (seconds === undefined) return 'in a moment';
  if (seconds < 90) return `in ${seconds} second${seconds === 1 ? '' : 's'}`;
  return `in ${Math.ceil(seconds / 60)} minutes`;
}

const URL_START = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Adds a capital letter, unless the text starts with a URL, and a full stop. */
export function sentence(text: string): string {
  const whole = text.trim();
  const start = URL_START.test(whole) ? whole.charAt(0) : whole.charAt(0).toUpperCase();
  return `${start}${whole.slice(1)}${/[.!?…]$/.test(whole) ? '' : '.'}`;
}
