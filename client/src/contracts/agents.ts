/** What the API of background agents takes and answers. Written by `npm run contracts`. */

export type Health = {
  status: 'ok';
  version: string;
};

export type Document = {
  info: {
    title: string;
    version: string;
    [name: string]: unknown;
  };
  [name: string]: unknown;
};

export type AccessToken = {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
};

export type WebsocketToken = {
  websocket_token: string;
  expires_in: number;
};

export type AcceptedTask = {
  task_id: string;
  task_type: 'research_agent' | 'processing_agent' | 'notification_agent';
  priority: number;
  status: 'accepted';
  estimated_completion: string | null;
  created_at: string | null;
  webhook_configured: boolean;
  metadata: Record<string, string>;
  warnings: string[];
};

export type Progress = {
  percentage: number;
  current_stage: string;
  stages_completed: string[];
  estimated_remaining_minutes: number;
};

export type TokenUsage = {
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  cached_input_tokens: number;
  reasoning_tokens: number;
  estimated: boolean;
};

export type TaskFailure = {
  code: 'PROCESSING_FAILED' | 'FILE_UNAVAILABLE' | 'TASK_TIMEOUT' | 'TASK_CANCELLED' | 'MODEL_UNAVAILABLE';
  message: string;
};

export type TaskStatus = {
  task_id: string;
  task_type: 'research_agent' | 'processing_agent' | 'notification_agent';
  priority: number;
  status: 'pending' | 'processing' | 'cancelling' | 'completed' | 'failed' | 'cancelled';
  progress: Progress;
  created_at: string | null;
  started_at: string | null;
  last_updated: string | null;
  completed_at: string | null;
  output_preview: Record<string, unknown>;
  webhook_configured: boolean;
  metadata: Record<string, string>;
  warnings: string[];
  usage: TokenUsage;
  error?: TaskFailure | undefined;
};

export type ResultFile = {
  name: string;
  content_type: string;
  size_bytes: number;
  url: string;
  expires_at: string;
};

export type TaskResults = {
  task_id: string;
  status: 'pending' | 'processing' | 'cancelling' | 'completed' | 'failed' | 'cancelled';
  results: {
    files?: ResultFile[] | undefined;
    [name: string]: unknown;
  };
  processing_details: {
    sources_processed: number;
    processing_time_minutes: number;
    service_engine_queries: number;
    confidence_scores: {
      data_quality: number;
      analysis_completeness: number;
      source_reliability: number;
    };
  };
  completed_at: string | null;
  usage: TokenUsage;
  metadata: Record<string, string>;
  warnings: string[];
  error?: TaskFailure | undefined;
  partial?: boolean | undefined;
};

export type Cancellation = {
  task_id: string;
  status: 'pending' | 'processing' | 'cancelling' | 'completed' | 'failed' | 'cancelled';
  previous_status: 'pending' | 'processing';
  reason: string | null;
  force: boolean;
  requested_at: string | null;
  results_available: boolean;
  metadata: Record<string, string>;
};

export type TaskInList = {
  task_id: string;
  task_type: 'research_agent' | 'processing_agent' | 'notification_agent';
  priority: number;
  status: 'pending' | 'processing' | 'cancelling' | 'completed' | 'failed' | 'cancelled';
  progress_percentage: number;
  created_at: string | null;
  completed_at: string | null;
  duration_minutes: number | null;
  metadata: Record<string, string>;
  title?: string | null | undefined;
};

export type TaskPage = {
  tasks: TaskInList[];
  pagination: {
    total_count: number;
    total_count_capped: boolean;
    offset: number;
    limit: number;
    has_next: boolean;
    next_cursor: string | null;
  };
};

export type TaskInput = {
  task_id: string;
  task_type: 'research_agent' | 'processing_agent' | 'notification_agent';
  model: string;
  input: Record<string, unknown>;
  webhook_url: string | null;
  priority: number;
  metadata: Record<string, string>;
};

export type WebhookAttempt = {
  at: string | null;
  duration_ms: number;
  status: number | null;
  error: 'blocked_target' | 'unresolved' | 'unreachable' | 'tls' | 'timeout' | 'broken' | null;
  answer: string;
  next_attempt_at: string | null;
};

export type Delivery = {
  delivery_id: string;
  webhook_url: string;
  state: 'pending' | 'sending' | 'delivered' | 'exhausted';
  next_attempt_at: string | null;
  attempts: Array<{
    attempt: number;
    at: string | null;
    duration_ms: number;
    status: number | null;
    error: 'blocked_target' | 'unresolved' | 'unreachable' | 'tls' | 'timeout' | 'broken' | null;
    answer: string;
    next_attempt_at: string | null;
  }>;
};

export type Deliveries = {
  deliveries: Delivery[];
};

export type Sources = {
  sources: Array<{
    name: string;
    custom: boolean;
  }>;
};

export type Usage = {
  limits: Array<{
    calls: string;
    minute: {
      most: number;
      left: number;
      resets_in_seconds: number;
    };
    hour?: {
      most: number;
      left: number;
      resets_in_seconds: number;
    } | undefined;
  }>;
  unfinished_tasks: {
    count: number;
    most: number;
  };
  days: Array<{
    date: string;
    tasks: number;
    input_tokens: number;
    output_tokens: number;
    cached_input_tokens: number;
    reasoning_tokens: number;
    estimated_input_tokens: number;
    estimated_output_tokens: number;
  }>;
};

export type TaskEvent = {
  event_type: 'task_completed' | 'task_failed' | 'task_cancelled' | 'task_run_completed' | 'task_run_failed' | 'task_run_cancelled';
  task_id: string;
  timestamp: string;
  data: {
    status: 'completed' | 'failed' | 'cancelled';
    duration_minutes: number;
    results_available: boolean;
    run?: number | undefined;
    slot_at?: string | null | undefined;
    results_url: string;
    error?: TaskFailure | undefined;
  };
  metadata: Record<string, string>;
};

export type ErrorBody = {
  error: {
    code: 'INSUFFICIENT_RESOURCES' | 'TASK_VALIDATION_FAILED' | 'INTERNAL_ERROR' | 'FORBIDDEN' | 'IDEMPOTENCY_CONFLICT' | 'METHOD_NOT_ALLOWED' | 'TASK_NOT_CANCELLABLE' | 'TASK_NOT_COMPLETED' | 'NOT_FOUND' | 'TASK_NOT_FOUND' | 'RATE_LIMIT_EXCEEDED' | 'PAYLOAD_TOO_LARGE' | 'UNAUTHORIZED' | 'UNSUPPORTED_MEDIA_TYPE';
    message: string;
    details: {
      invalid_fields?: string[] | undefined;
      valid_task_types?: string[] | undefined;
      valid_sources?: string[] | undefined;
      reasons?: Record<string, string> | undefined;
      retry_after_seconds?: number | undefined;
      [name: string]: unknown;
    };
    request_id: string;
    timestamp: string;
  };
};

export type Credentials = {
  username?: string | null | undefined;
  password?: string | null | undefined;
  sso_token?: string | null | undefined;
};

export type Submission = ResearchSubmission | ProcessingSubmission | NotificationSubmission;

export type CancelWish = {
  reason?: string | null | undefined;
  force?: boolean | null | undefined;
};

export type WebhookTest = {
  webhook_url: string;
};

export type ResearchSubmission = {
  task_type: 'research_agent';
  priority?: number | null | undefined;
  input: {
    query: string;
    research_type?: string | null | undefined;
    sources?: string[] | null | undefined;
    geographic_scope?: string[] | null | undefined;
    depth?: string | null | undefined;
    analysis_depth?: string | null | undefined;
    deliverables?: string[] | null | undefined;
    output_format?: 'json' | 'markdown' | 'html' | 'pdf' | null | undefined;
  };
  webhook_url?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  timeout_minutes?: number | null | undefined;
};

export type ProcessingSubmission = {
  task_type: 'processing_agent';
  priority?: number | null | undefined;
  input: {
    documents: Array<{
      url: string;
      type?: string | null | undefined;
    }>;
    processing_type?: string | null | undefined;
    extraction_rules?: string[] | null | undefined;
    output_format?: 'json' | 'jsonl' | 'csv' | 'xlsx' | 'markdown' | null | undefined;
    output_schema?: Record<string, unknown> | null | undefined;
    on_missing?: 'null' | 'fail' | null | undefined;
    accept?: Array<'proven' | 'computed' | 'judged'> | null | undefined;
  };
  webhook_url?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  timeout_minutes?: number | null | undefined;
};

export type NotificationSubmission = {
  task_type: 'notification_agent';
  priority?: number | null | undefined;
  input: {
    notification_type?: string | null | undefined;
    schedule?: {
      frequency?: 'once' | 'daily' | 'weekly' | 'monthly' | null | undefined;
      day_of_week?: 'monday' | 'tuesday' | 'wednesday' | 'thursday' | 'friday' | 'saturday' | 'sunday' | null | undefined;
      day_of_month?: number | null | undefined;
      time?: string | null | undefined;
      timezone?: string | null | undefined;
    } | null | undefined;
    content: {
      recipients: string[];
      data_sources?: string[] | null | undefined;
      format?: 'html' | 'markdown' | 'text' | null | undefined;
      include_charts?: boolean | null | undefined;
      subject?: string | null | undefined;
      message?: string | null | undefined;
    };
  };
  webhook_url?: string | null | undefined;
  metadata?: Record<string, string> | null | undefined;
  timeout_minutes?: number | null | undefined;
};
