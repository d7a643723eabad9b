/** Writes the files that agents deliver: in the threads of the documents, within their limits and fair between organizations. */
import type { Documents } from '../engines/documents/documents.ts';
import type { FontFiles } from '../engines/fonts/font.ts';
import type { QueuedRender } from '../engines/reports/report-document.ts';
import type { SlotRequest } from '../shared/core/semaphore.ts';
import { TaskFailure } from '../shared/tasks/task-failure.ts';
import { type RuleAnswers, ruleApplier } from './apply-rule.ts';
import type { FileWriters } from './file-writers.ts';
import type { TextRules } from './text-rules.ts';

type WriteFile = <Name extends keyof FileWriters>(
  name: Name,
  input: Parameters<TextRules[Name]>[0],
) => Promise<RuleAnswers[Name]>;

/** Rejects with a failure of the task if the file takes more time or memory than a document may. */
export const fileWriter = (documents: Pick<Documents, 'applyRule'>, request: SlotRequest): WriteFile => {
  const applyRule = ruleApplier(documents, request);
  return async (name, input) => {
    const written = await applyRule(name, input);
    if (written !== undefined) return written;
    throw new TaskFailure(
      'PROCESSING_FAILED',
      'A file of the results takes too long to be written; ask for less in one.',
    );
  };
};

export const reportRenderer =
  (documents: Pick<Documents, 'applyRule'>, { regular, semiBold }: FontFiles): QueuedRender =>
  (report, format, request) =>
    fileWriter(documents, request)('renderReport', { report, format, fonts: { regular, semiBold } });
