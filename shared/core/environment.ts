/** The name of every environment variable the product reads. */

export const environment = {
  /** Local: the folder that holds the state. */
  state: 'ERRAND_STATE',
  /** Local: the first of the two ports. */
  port: 'ERRAND_PORT',
  /** The lowest level that is logged. */
  logLevel: 'ERRAND_LOG_LEVEL',
  /** How many calls without a valid credential a source address may make in five minutes. */
  badCredentials: 'ERRAND_UNAUTHORIZED_CALLS',
  /** AWS: the namespace of metrics. */
  metrics: 'ERRAND_METRICS',
  /** AWS: the origins allowed by CORS, separated by commas. */
  origins: 'ERRAND_ORIGINS',
  /** The models of a new organization, separated by commas; the first is the default. */
  models: 'ERRAND_MODELS',
  /** The base URL of an OpenAI-compatible provider and its key: the key itself, or on AWS the name of its secret. */
  modelAddress: 'ERRAND_OPENAI_ADDRESS',
  modelKey: 'ERRAND_OPENAI_KEY',
  modelKeySecret: 'ERRAND_OPENAI_KEY_SECRET',
  /** Local: the standard variables of AWS, for models of Amazon Bedrock. On AWS, the account of the function counts. */
  awsRegion: 'AWS_REGION',
  awsKeyId: 'AWS_ACCESS_KEY_ID',
  awsSecret: 'AWS_SECRET_ACCESS_KEY',
  awsToken: 'AWS_SESSION_TOKEN',
  /** Local: the usual variables of providers and of Ollama, which need no setting of ours. */
  anthropicKey: 'ANTHROPIC_API_KEY',
  anthropicUrl: 'ANTHROPIC_BASE_URL',
  openaiKey: 'OPENAI_API_KEY',
  openaiUrl: 'OPENAI_BASE_URL',
  googleKey: 'GEMINI_API_KEY',
  googleUrl: 'GOOGLE_GEMINI_BASE_URL',
  ollamaHost: 'OLLAMA_HOST',
  /** Models that accept images, separated by commas, instead of those known by name. */
  seeingModels: 'ERRAND_SEEING_MODELS',
  /** The operator's model table, as JSON by model id. */
  modelTable: 'ERRAND_MODEL_TABLE',
  /** The operator's own SearXNG, for research of organizations without a search provider. */
  searchUrl: 'ERRAND_SEARCH_URL',
  /** The sender of mails; on AWS no mail is sent without it. */
  sender: 'ERRAND_SENDER',
  /** AWS: the SES configuration set of mails. */
  mailSet: 'ERRAND_MAIL_SET',
  /** AWS: the public URL of the agent API, for links in mails. */
  agentsUrl: 'ERRAND_AGENTS_URL',
  /** AWS: the root URLs of both APIs, with and without custom domains, separated by commas. */
  serviceUrls: 'ERRAND_SERVICE_URLS',
  /** AWS: how long files and ended tasks are kept, and how large a file may be. */
  retentionDays: 'ERRAND_RETENTION_DAYS',
  maxFileBytes: 'ERRAND_MAX_FILE_BYTES',
  /** AWS: how much memory reading a document may take. */
  documentMegabytes: 'ERRAND_DOCUMENT_MEGABYTES',
  /** CPU time for reading a document without OCR, and additional CPU time per page with OCR. */
  documentCpuSeconds: 'ERRAND_DOCUMENT_CPU_SECONDS',
  ocrPageCpuSeconds: 'ERRAND_OCR_PAGE_CPU_SECONDS',
  table: 'ERRAND_TABLE',
  bucket: 'ERRAND_BUCKET',
  /** AWS: the bucket of uploads by signed URL. */
  uploadsBucket: 'ERRAND_UPLOADS_BUCKET',
  masterSecret: 'ERRAND_MASTER_SECRET',
  /** AWS: the secret that marks requests which came through our own CDN. */
  originSecret: 'ERRAND_ORIGIN_SECRET',
  /** AWS: the URLs of the queues. */
  highLane: 'ERRAND_HIGH_LANE',
  normalLane: 'ERRAND_NORMAL_LANE',
  lowLane: 'ERRAND_LOW_LANE',
  webhooks: 'ERRAND_WEBHOOKS',
  /** AWS: how many worker instances run at once in all lanes. */
  workers: 'ERRAND_WORKERS',
  /** AWS: the schedule group, the role with which schedules send hints, and the ARNs of the lanes: high, normal, low. */
  schedules: 'ERRAND_SCHEDULES',
  schedulesRole: 'ERRAND_SCHEDULES_ROLE',
  scheduledLanes: 'ERRAND_SCHEDULED_LANES',
  /** AWS: the endpoint of open WebSocket connections, and the queue of unauthenticated ones. */
  sockets: 'ERRAND_SOCKETS',
  strangers: 'ERRAND_STRANGERS',
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;
