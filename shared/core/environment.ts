/** The name of every environment variable the product reads. */

export const environment = {
  /** Local: the folder that holds the state. */
  state: 'ERRAND_STATE',
  /** Local: the first of the two ports. */
  port: 'ERRAND_PORT',
  /** The least level that is logged. */
  logLevel: 'ERRAND_LOG_LEVEL',
  /** How many calls without a valid credential a source address may make in five minutes. */
  badCredentials: 'ERRAND_UNAUTHORIZED_CALLS',
  /** AWS: the namespace of what is measured. */
  metrics: 'ERRAND_METRICS',
  /** AWS: the origins of pages that may call, separated by commas. */
  origins: 'ERRAND_ORIGINS',
  /** The models of a new organization, separated by commas; the first is the default. */
  models: 'ERRAND_MODELS',
  /** Where models answer that speak OpenAI's protocol, and the key they want: itself, or on AWS the name of its secret. */
  modelAddress: 'ERRAND_OPENAI_ADDRESS',
  modelKey: 'ERRAND_OPENAI_KEY',
  modelKeySecret: 'ERRAND_OPENAI_KEY_SECRET',
  /** The models that are shown pictures, separated by commas, in place of those known by their names. */
  seeingModels: 'ERRAND_SEEING_MODELS',
  /** What the operator knows of models, as JSON by their ids. */
  modelTable: 'ERRAND_MODEL_TABLE',
  /** The operator's own SearXNG, for research of organizations without a search provider. */
  searchUrl: 'ERRAND_SEARCH_URL',
  /** Who mails come from; on AWS none is sent without it. */
  sender: 'ERRAND_SENDER',
  /** AWS: what SES keeps of our mails, and whom it tells. */
  mailSet: 'ERRAND_MAIL_SET',
  /** AWS: where people reach the agent API; links in mails lead there. */
  agentsUrl: 'ERRAND_AGENTS_URL',
  /** AWS: how long files and ended tasks stay, and how large a file may be. */
  retentionDays: 'ERRAND_RETENTION_DAYS',
  maxFileBytes: 'ERRAND_MAX_FILE_BYTES',
  /** AWS: how much memory reading a document may take. */
  documentMegabytes: 'ERRAND_DOCUMENT_MEGABYTES',
  /** How much CPU time reading a document may take without OCR, and how much more for each page that OCR recognizes. */
  documentCpuSeconds: 'ERRAND_DOCUMENT_CPU_SECONDS',
  ocrPageCpuSeconds: 'ERRAND_OCR_PAGE_CPU_SECONDS',
  table: 'ERRAND_TABLE',
  bucket: 'ERRAND_BUCKET',
  /** AWS: the bucket of what arrives by signed address. */
  uploadsBucket: 'ERRAND_UPLOADS_BUCKET',
  masterSecret: 'ERRAND_MASTER_SECRET',
  /** AWS: the secret that tells requests which came through our own edge. */
  originSecret: 'ERRAND_ORIGIN_SECRET',
  /** AWS: the addresses of the queues. */
  highLane: 'ERRAND_HIGH_LANE',
  normalLane: 'ERRAND_NORMAL_LANE',
  lowLane: 'ERRAND_LOW_LANE',
  webhooks: 'ERRAND_WEBHOOKS',
  /** AWS: how many instances of the worker run at once over all lanes. */
  workers: 'ERRAND_WORKERS',
  /** AWS: the group of schedules, the role that they send hints with, and the lanes by their ARNs: high, normal, low. */
  schedules: 'ERRAND_SCHEDULES',
  schedulesRole: 'ERRAND_SCHEDULES_ROLE',
  scheduledLanes: 'ERRAND_SCHEDULED_LANES',
  /** AWS: where the open connections are reached, and the queue of those that have yet to say whom they are for. */
  sockets: 'ERRAND_SOCKETS',
  strangers: 'ERRAND_STRANGERS',
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;
