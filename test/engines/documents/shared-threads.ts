/** Reading threads that the tests of a file share, as tasks of a process do: starting one costs more than most tests. */
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { type Documents, openDocuments } from '../../../engines/documents/documents.ts';

let shared: Documents | undefined;

/** They end with the process, and do not keep it alive. */
export function sharedDocuments(): Documents {
  shared ??= openDocuments(readerFilesFromCheckout());
  return shared;
}
