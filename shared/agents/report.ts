/** What an agent has come to after a stage: the last one's is the result, an earlier one's a partial result. */

/** Computed from what happened, each from 0 to 1. */
export type Confidence = { dataQuality: number; analysisCompleteness: number; sourceReliability: number };

export type Report = {
  results: Record<string, unknown>;
  /** Short: what a poll shows while the task runs. */
  preview: Record<string, unknown>;
  /** Sources and documents that were read. */
  sources: number;
  /** Requests that the model answered. */
  queries: number;
  confidence?: Confidence;
};
