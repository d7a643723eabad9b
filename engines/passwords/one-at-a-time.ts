/** Heavy work one piece after the other, with a short line before it; who finds the line full is told to come back. */
import { Problem } from '../../shared/core/problem.ts';

export function oneAtATime({ mostWaiting, secondsEach }: { mostWaiting: number; secondsEach: number }) {
  let last: Promise<unknown> = Promise.resolve();
  let present = 0;

  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (present > mostWaiting) {
      throw new Problem('rateLimited', 'Too many passwords are being checked at once; try again shortly.', {
        retryAfterSeconds: Math.ceil(present * secondsEach),
      });
    }
    present++;
    const mine = last.then(work).finally(() => present--);
    last = mine.catch(() => undefined);
    return mine;
  };
}
