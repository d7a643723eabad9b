/** What an agent has come to after a stage: the last one's is the result, an earlier one's a partial result. */

/** Computed from what happened, each from 0 to 1. */
export type Confidence = { dataQuality: number; analysisCompleteness: number; sourceReliability: number };

/** A file of the results: where its bytes lie. Whoever asks is told an address that was signed for them. */
export type ReportFile = { name: string; contentType: string; bytesAt: string; sizeBytes: number };

export type AgentReport = {
  results: Record<string, unknown>;
  /** Short: what a poll shows while the task runs. */
  preview: Record<string, unknown>;
  /** Sources and documents that were read. */
  sources: number;
  /** Requests that the model answered, and those that sources were asked. */
  queries: number;
  confidence?: Confidence;
  /** Those that are completed, where a stage has more than one checkpoint. */
  stages?: readonly string[];
  files?: ReportFile[];
  /** What was asked for and had no effect, as the work has shown. */
  warnings?: string[];
};
