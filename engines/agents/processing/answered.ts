/** What asking about one document came to, whichever model was asked. */
import type { Value } from './state.ts';

export type DocumentAnswers = {
  values: Value[];
  /** Requests that were answered. */
  calls: number;
  /** Of the document's text, how much was looked at. */
  share: number;
};
