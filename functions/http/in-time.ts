/** Gives up waiting for an answer before the transport gives up on us, so that the caller is told in our own words. */
import { isProblem, Problem } from '../../shared/core/problem.ts';

type ResponseDeadline = { withinMs: number; failedLater: (error: unknown) => void };

/** The work goes on behind the answer; its caller may come back for it with the same idempotency key. */
export async function withDeadline<T>(work: Promise<T>, { withinMs, failedLater }: ResponseDeadline): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      work.catch((error) => isProblem(error) || failedLater(error));
      reject(new Problem('busy', 'The service took too long; try again.'));
    }, withinMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
