/**
 * Applies the rules that match, read or judge a text of a stranger: in the threads of the documents, which are killed at
 * their budget of CPU time and shared fairly between organizations. No agent can call such a rule itself: scripts/arrows.ts.
 */
import { isDocumentFailure } from '../engines/documents/document.ts';
import type { Documents } from '../engines/documents/documents.ts';
import type { SlotRequest } from '../shared/core/semaphore.ts';
import type { TextRules } from './text-rules.ts';

/** What each rule returns, directly or by a promise. */
export type RuleAnswers = { [Name in keyof TextRules]: Awaited<ReturnType<TextRules[Name]>> };

/** Resolves to undefined if the rule exceeds its time or memory with this text. */
export type ApplyRule = <Name extends keyof TextRules>(
  name: Name,
  input: Parameters<TextRules[Name]>[0],
) => Promise<RuleAnswers[Name] | undefined>;

export const ruleApplier =
  (documents: Pick<Documents, 'applyRule'>, request: SlotRequest): ApplyRule =>
  async <Name extends keyof TextRules>(name: Name, input: unknown) => {
    try {
      return (await documents.applyRule({ name, input }, request)) as RuleAnswers[Name];
    } catch (error) {
      if (isDocumentFailure(error) && error.reason !== 'corrupt') return undefined;
      // A fault of the rule or of its thread, not of the document.
      throw isDocumentFailure(error) ? new Error(`The rule ${name} failed.`, { cause: error }) : error;
    }
  };
