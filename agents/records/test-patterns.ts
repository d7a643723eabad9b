/** Tests values against the patterns of a schema. */

import { isDocumentFailure } from '../../engines/documents/document.ts';
import type { Documents } from '../../engines/documents/documents.ts';

/** Tests each text against its pattern, in a thread that is killed when it takes too long; undefined then. */
export type TestPatterns = (tests: { pattern: string; text: string }[]) => Promise<boolean[] | undefined>;

export const testPatternsBy =
  (documents: Pick<Documents, 'testPatterns'>, request: { organization: string; signal: AbortSignal }): TestPatterns =>
  async (tests) => {
    try {
      return await documents.testPatterns(tests, request);
    } catch (error) {
      if (!isDocumentFailure(error)) throw error;
      return undefined;
    }
  };
