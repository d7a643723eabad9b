/** What a background agent reports. If a limit ended the work, the report is partial. */

/** Computed from what happened; each value is between 0 and 1. */
export type Confidence = { dataQuality: number; analysisCompleteness: number; sourceReliability: number };

/** A file of the results, with the key of its bytes. Callers receive a signed URL. */
export type ReportFile = { name: string; contentType: string; bytesAt: string; sizeBytes: number };

/** The text of a cited source as it was read; `from` and `to` are its range in the blob. */
export type Snapshot = { source: number; url: string; fetchedAt: string; sha256: string; from: number; to: number };

/** One blob contains all texts of a task. */
export type Snapshots = { bytesAt: string; texts: Snapshot[] };

export type AgentReport = {
  results: Record<string, unknown>;
  /** Short, because each poll of a running task shows it. */
  preview: Record<string, unknown>;
  /** Sources and documents that were read. */
  sources: number;
  /** Model calls that were answered, and requests to sources. */
  queries: number;
  confidence?: Confidence;
  /** The completed stages, where one stage has several checkpoints. */
  stages?: readonly string[];
  /** The stage whose outcome ends the task as failed: it is not completed, although a later stage throws the failure. */
  failedStage?: string;
  /** Whether there is a value or a text yet; absent in reports of earlier releases. */
  hasContent?: boolean;
  files?: ReportFile[];
  /** For a completed research: the texts of its cited sources, unless the organization stores none. */
  snapshots?: Snapshots | 'off';
  /** Parts of the request that turned out to have no effect. */
  warnings?: string[];
  /** For a research. */
  effort?: Effort;
  byRole?: RoleUsage[];
};

/** The rounds of a research and its effort, compared to the limits of its depth. */
export type Effort = {
  rounds: number;
  /** Null while the research runs. */
  ended_by: 'covered' | 'nothing_new' | 'rounds' | 'tokens' | 'minutes' | 'no_search' | null;
  search_queries: number;
  /** Queries that were not sent, because the organization sent the same within the last day. */
  queries_from_cache: number;
  pages_opened: number;
  pages_refused: number;
  /** Opened pages that were not requested, because they were opened within the last day. */
  pages_from_cache: number;
  budget: { rounds: number; documents: number; tokens: number; minutes: number };
};

/** The usage of one model in one role. */
export type RoleUsage = {
  role: 'plan' | 'rank' | 'read' | 'check' | 'write';
  model: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
};
