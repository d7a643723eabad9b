/** What the Files & Tasks API takes and answers. Written by `npm run contracts`. */

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

export type FileReference = {
  fileId: string;
};

export type UploadOffer = {
  uploadUrl: string;
  fileId: string;
  storagePath: string;
};

export type FileInList = {
  fileId: string;
  fileName: string;
  mimeType: string;
  size: number;
  createdAt: string;
};

export type StoredFile = {
  fileId: string;
  fileName: string;
  mimeType: string;
  size: number;
  createdAt: string;
  url: string;
  urlExpiresAt: string;
};

export type FilePage = {
  files: FileInList[];
  nextCursor: string | null;
};

export type FileText = {
  fileId: string;
  kind: string;
  language: string | null;
  readerVersion: string;
  title?: string | undefined;
  author?: string | undefined;
  date?: string | undefined;
  canonicalUrl?: string | undefined;
  pages: Array<{
    number: number;
    place: string;
    text: string;
    blocks: Array<{
      kind: string;
      text: string;
      box?: {
        x: number;
        y: number;
        width: number;
        height: number;
      } | undefined;
      hidden?: true | undefined;
      order: number;
    }>;
    ocr?: {
      confidence: number;
    } | undefined;
  }>;
  tables: Array<{
    place: string;
    box?: {
      x: number;
      y: number;
      width: number;
      height: number;
    } | undefined;
    headerRows: number;
    header: string[];
    rows: Array<string[]>;
    rowCount: number;
  }>;
  sheets: Array<{
    name: string;
    hidden: boolean;
    tables: Array<{
      place: string;
      headerRows: number;
      header: string[];
      units?: string[] | undefined;
      rows: Array<Array<{
        text: string;
        value: string | number | boolean | null;
        type: 'text' | 'number' | 'date' | 'percent' | 'currency' | 'boolean' | 'empty';
        currency?: string | undefined;
      }>>;
      rowCount: number;
      hiddenRows: number[];
      hiddenColumns: number[];
    }>;
    texts: Array<{
      place: string;
      text: string;
    }>;
    comments: Array<{
      place: string;
      text: string;
    }>;
    hiddenTexts: Array<{
      place: string;
      text: string;
    }>;
  }>;
  notRead: Array<{
    place: string;
    reason: string;
  }>;
};

export type FileReading = {
  fileId: string;
  status: 'reading';
};

export type TaskReference = {
  taskId: string;
};

export type Archive = {
  presignedUrl: string;
  expiresAt: string;
  sizeBytes: number;
};

export type OpenTask = {
  taskId: string;
  namespace: string;
  status: 'waiting' | 'active';
  createdAt: string;
};

export type SucceededTask = {
  taskId: string;
  namespace: string;
  status: 'success';
  createdAt: string;
  completedAt: string;
  output: {
    text: string;
    archive?: Archive | undefined;
  };
  warnings?: string[] | undefined;
  usage?: TokenUsage | undefined;
};

export type FailedTask = {
  taskId: string;
  namespace: string;
  status: 'failure';
  createdAt: string;
  completedAt: string;
  error: {
    message: string;
    code: 'PROCESSING_FAILED' | 'FILE_UNAVAILABLE' | 'TASK_TIMEOUT' | 'TASK_CANCELLED' | 'MODEL_UNAVAILABLE';
  };
  warnings?: string[] | undefined;
  usage?: TokenUsage | undefined;
};

export type Task = OpenTask | SucceededTask | FailedTask;

export type EndedTask = SucceededTask | FailedTask;

export type TaskInList = {
  taskId: string;
  namespace: string;
  status: 'waiting' | 'active';
  createdAt: string;
  title?: string | null | undefined;
} | {
  taskId: string;
  namespace: string;
  status: 'success';
  createdAt: string;
  completedAt: string;
  output: {
    text: string;
    archive?: Archive | undefined;
  };
  warnings?: string[] | undefined;
  usage?: TokenUsage | undefined;
  title?: string | null | undefined;
} | {
  taskId: string;
  namespace: string;
  status: 'failure';
  createdAt: string;
  completedAt: string;
  error: {
    message: string;
    code: 'PROCESSING_FAILED' | 'FILE_UNAVAILABLE' | 'TASK_TIMEOUT' | 'TASK_CANCELLED' | 'MODEL_UNAVAILABLE';
  };
  warnings?: string[] | undefined;
  usage?: TokenUsage | undefined;
  title?: string | null | undefined;
};

export type TaskPage = {
  tasks: TaskInList[];
  nextCursor: string | null;
};

export type Workflow = {
  workflowId: string;
  name: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  steps: string[];
};

export type WorkflowPage = {
  workflows: Workflow[];
  nextCursor: string | null;
};

export type Ruleset = {
  rulesetId: string;
  name: string;
  version: number;
  createdAt: string;
  updatedAt: string;
  characters: number;
};

export type RulesetPage = {
  rulesets: Ruleset[];
  nextCursor: string | null;
};

export type TaskInput = {
  taskId: string;
  namespace: string | null;
  input: {
    prompt: string;
    model: string;
    fileIds: string[];
    steps: Array<{
      name: string;
      instruction: string;
    }>;
    rulesetIds: string[];
  };
  endpoint: string | null;
};

export type WebhookAttempt = {
  at: string | null;
  durationMs: number;
  status: number | null;
  error: 'blocked_target' | 'unresolved' | 'unreachable' | 'tls' | 'timeout' | 'broken' | null;
  answer: string;
  nextAttemptAt: string | null;
};

export type Delivery = {
  deliveryId: string;
  endpoint: string;
  state: 'pending' | 'sending' | 'delivered' | 'exhausted';
  nextAttemptAt: string | null;
  attempts: Array<{
    attempt: number;
    at: string | null;
    durationMs: number;
    status: number | null;
    error: 'blocked_target' | 'unresolved' | 'unreachable' | 'tls' | 'timeout' | 'broken' | null;
    answer: string;
    nextAttemptAt: string | null;
  }>;
};

export type Deliveries = {
  deliveries: Delivery[];
};

export type Models = {
  models: string[];
  default: string;
};

export type TokenUsage = {
  model: string;
  inputTokens: number;
  outputTokens: number;
  cachedInputTokens: number;
  reasoningTokens: number;
  estimated: boolean;
};

export type Usage = {
  days: Array<{
    date: string;
    tasks: number;
    inputTokens: number;
    outputTokens: number;
    cachedInputTokens: number;
    reasoningTokens: number;
    estimatedInputTokens: number;
    estimatedOutputTokens: number;
  }>;
  storage: {
    files: number;
    bytes: number;
    capped: boolean;
  };
};

export type ErrorBody = {
  error: string;
};

export type NewFile = {
  url?: string | null | undefined;
  fileName?: string | null | undefined;
};

export type Upload = {
  fileName: string;
  mimeType: string;
  size: number;
  storagePath: string;
};

export type NewTask = {
  delivery: {
    type: 'webhook';
    config: {
      endpoint: string;
      frequency?: 'on_finish' | null | undefined;
    };
  };
  input: {
    type: 'chat';
    prompt: string;
    model?: string | undefined;
    fileIds?: string[] | null | undefined;
    workflowIds?: string[] | null | undefined;
    rulesetIds?: string[] | null | undefined;
  };
  namespace: string;
};

export type WebhookTest = {
  endpoint: string;
};
