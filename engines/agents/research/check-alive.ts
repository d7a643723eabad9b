/** A research none of whose sources can be read has failed, and says why. */
import { TaskFailure } from '../../../shared/tasks/agent.ts';
import type { SourceState } from './state.ts';

const MOST_TOLD = 5;

/** Asked by the stage behind the gathering, so that what the gathering came to is kept and shown. */
export function checkAlive(sources: readonly SourceState[]): void {
  const dead = sources.filter(({ status }) => status === 'dead');
  if (dead.length < sources.length) return;
  const told = dead
    .slice(0, MOST_TOLD)
    .map(({ source, faults }) => `${source} (${faults[0]?.reason ?? 'gave nothing'})`)
    .join('; ');
  const more = dead.length > MOST_TOLD ? `, and ${dead.length - MOST_TOLD} more` : '';
  const which =
    dead.length === 1 ? 'The only source could not be read' : `None of the ${dead.length} sources could be read`;
  throw new TaskFailure(
    'PROCESSING_FAILED',
    `${which}: ${told}${more}. Name other sources, or ask your operator to look at these.`,
  );
}
