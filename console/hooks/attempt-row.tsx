/** One attempt of a webhook: when, how long, what came of it, and the beginning of the answer. */
import { count } from '../format.ts';
import { Time } from '../ui/time.tsx';
import { isTaken, outcomeOf, type ShownAttempt } from './shown-delivery.ts';

export const AttemptRow = ({ attempt }: { attempt: ShownAttempt }) => (
  <li class="attempt">
    <p class="attempt-head">
      {attempt.number !== undefined && <span class="muted small">#{attempt.number}</span>}
      <strong class={isTaken(attempt) ? 'good' : 'bad'}>{outcomeOf(attempt)}</strong>
      <span class="muted small nowrap">
        <Time at={attempt.at} /> · {count(attempt.ms)} ms
      </span>
    </p>
    {attempt.answer !== '' && <pre class="sunk">{attempt.answer}</pre>}
  </li>
);
