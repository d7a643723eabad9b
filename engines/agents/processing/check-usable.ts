/** A task none of whose documents can be used has failed, and says why. */
import { TaskFailure } from '../../../shared/tasks/agent.ts';
import type { DocumentState } from './state.ts';

const MOST_TOLD = 5;

/** Asked by the stage behind the reading, so that what the reading came to is kept and shown. */
export function checkUsable(documents: readonly DocumentState[]): void {
  const failed = documents.flatMap((document) => (document.status === 'failed' ? [document] : []));
  if (failed.length < documents.length) return;
  const told = failed
    .slice(0, MOST_TOLD)
    .map(({ document, name, message }) => `document ${document}${name === '' ? '' : ` (${name})`} ${message}`);
  const more = failed.length > MOST_TOLD ? `, and ${failed.length - MOST_TOLD} more` : '';
  const which =
    failed.length === 1
      ? 'The only document could not be used'
      : `None of the ${failed.length} documents could be used`;
  throw new TaskFailure('PROCESSING_FAILED', `${which}: ${told.join('; ')}${more}.`);
}
