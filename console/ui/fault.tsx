/** An error in words: what happened, what to do, and the id to ask the operator with. */
import type { ErrandError } from '../../client/src/index.ts';
import { remedyOf } from '../fault-words.ts';

type Props = { fault: ErrandError | undefined; onAgain?: () => void };

export function Fault({ fault, onAgain }: Props) {
  if (!fault || fault.code === 'ABORTED') return null;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{fault.message}</strong> {remedyOf(fault)}
      </p>
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
