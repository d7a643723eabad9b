/** The settings of a stage as the operator gives them, and the outputs of its stack. */
import { execFileSync } from 'node:child_process';
import { CfnOutput, type Stack } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { modelTable } from '../shared/accounts/model-table.ts';
import { faultOfModels } from '../shared/accounts/models.ts';
import { PRODUCTION_STAGE, STAGE_MODELS, stageName } from '../shared/core/deployment-stage.ts';
import { LANE_SHARES, TASKS_PER_INSTANCE } from '../shared/core/lane.ts';
import { CPU_SECONDS, DEFAULT_BAD_CREDENTIALS, daysMs, MAX_KEPT_DAYS } from '../shared/core/stage-limits.ts';

/** A custom domain with the certificate that covers it. */
export type Domain = { name: string; certificateArn: string };
/** `files` and `sockets` are domains of the gateway; `agents` is one of CloudFront, which serves calls and the WebSocket. */
type Domains = { [of in 'files' | 'agents' | 'sockets']?: Domain };

type DomainOptions = { [of in keyof Domains]?: { name?: string | undefined; certificate?: string | undefined } };

const NAME = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const CERTIFICATE = /^arn:aws[a-z-]*:acm:([a-z0-9-]+):\d{12}:certificate\/[\w-]+$/;
/** CloudFront accepts certificates of this region only. */
const OF_THE_EDGE = 'us-east-1';

function domainsIn(domains: DomainOptions): Domains {
  const configured = Object.entries(domains).flatMap(([of, { name = '', certificate = '' }]) =>
    name === '' && certificate === '' ? [] : [[of, domainIn(of, name, certificate)] as const],
  );
  const twice = configured.find(
    ([, { name }], at) => configured.findIndex(([, otherDomain]) => otherDomain.name === name) < at,
  );
  if (twice)
    throw new RangeError(`${twice[0]}-domain is ${twice[1].name}, which is taken already: each needs its own.`);
  return Object.fromEntries(configured);
}

function domainIn(of: string, name: string, certificateArn: string): Domain {
  if (!NAME.test(name)) {
    throw new RangeError(`${of}-domain is ${JSON.stringify(name)}: give a name such as ${of}.example.com.`);
  }
  const region = CERTIFICATE.exec(certificateArn)?.[1];
  if (region === undefined) {
    const quotedArn = JSON.stringify(certificateArn.slice(0, 200));
    throw new RangeError(`${of}-certificate is ${quotedArn}: give the ARN of the certificate of ${name}.`);
  }
  if (of === 'agents' && region !== OF_THE_EDGE) {
    throw new RangeError(`agents-certificate is of ${region}: CloudFront takes certificates of ${OF_THE_EDGE} only.`);
  }
  return { name, certificateArn };
}

/** The memory and timeout of a function. */
export type Size = { memoryMegabytes: number; timeoutSeconds: number };

type Functions = 'filesAndTasks' | 'agents' | 'login' | 'socket' | 'reconcile' | 'runTask' | 'sendWebhook';

export type Settings = {
  stage: string;
  /** An ephemeral stage is deleted with its stack, data included. Any other stage keeps its data, is protected and backed up. */
  isEphemeral: boolean;
  /** The day from which an ephemeral stage may be deleted. */
  expires?: string;
  /** The origins of pages that may call the APIs and transfer files in a browser. */
  origins: string[];
  /** Custom domains. */
  domains: Domains;
  logRetention: RetentionDays;
  logLevel: string;
  /** The address that receives alarms; without it none are sent. */
  alarmsEmail?: string;
  /** The retention of files and of ended tasks. */
  retentionDays: number;
  maxFileBytes: number;
  /** Calls without a valid credential that one source address may make in five minutes. */
  badCredentials: number;
  /** CPU time for reading one document: without OCR, and for each page that OCR recognizes. */
  cpuSeconds: { document: number; ocrPage: number };
  /** The models of a new organization, each provider/name; the first is the default. */
  models: string[];
  /** The models that accept images; if empty, those known by name. */
  seeing: string[];
  /** Data about models in addition to the product's own table, as JSON. */
  modelTable: string;
  /** The URL of a server with OpenAI's protocol, and the name of the secret with its API key. */
  openai?: { address: string; keySecret?: string };
  /** The operator's own SearXNG. */
  searchUrl?: string;
  /** The customer's key of KMS, with which the stage encrypts what it stores; without it the services use keys of their own. */
  kmsKey?: { arn: string; region: string };
  /** The sender of mails; without it none is sent. */
  sender?: string;
  /** Whether the WebSocket API writes an access log, which needs the account's setting for logs of API Gateway. */
  hasWebSocketLog: boolean;
  /** For each API. */
  throttle: { requestsPerSecond: number; burst: number };
  sizes: { [name in Functions]: Size };
  /** Instances of the account's concurrency that only the reconciler may use; without them it shares with all functions. */
  reconcilerConcurrency?: number;
  /** Instances over all lanes, and the tasks that each runs at once: tasks mostly wait for a model. */
  workers: { atOnce: number; batchSize: number };
  /** Instances, and the webhooks that each sends at once. */
  senders: { atOnce: number; batchSize: number };
};

/**
 * At this memory a request works about as long as it waits for AWS, by the table in docs/operations/costs.md. One second
 * less than API Gateway's timeout, so that the function times out first.
 */
const request: Size = { memoryMegabytes: 768, timeoutSeconds: 29 };

const MEBIBYTE = 1_048_576;

const common = {
  logLevel: 'info',
  throttle: { requestsPerSecond: 500, burst: 1_000 },
  sizes: {
    filesAndTasks: request,
    agents: request,
    // A whole vCPU, and room for the 128 MiB of a password check.
    login: { ...request, memoryMegabytes: 1_769 },
    socket: request,
    // A whole vCPU: a full round computes most of its time, which costs the same at every size.
    reconcile: { memoryMegabytes: 1_769, timeoutSeconds: 55 },
    sendWebhook: { memoryMegabytes: 256, timeoutSeconds: 60 },
  },
  senders: { atOnce: 20, batchSize: 10 },
};

/** The settings of a deployment, as texts of the CDK context. Lists are separated by commas. */
type StageContext = {
  [name in
    | 'origins'
    | 'models'
    | 'seeing'
    | 'modelTable'
    | 'openaiAddress'
    | 'openaiKeySecret'
    | 'searchUrl'
    | 'sender'
    | 'alarmsEmail'
    | 'retentionDays'
    | 'badCredentials'
    | 'maxFileMegabytes'
    | 'workerMegabytes'
    | 'workerInstances'
    | 'documentCpuSeconds'
    | 'ocrPageCpuSeconds'
    | 'webSocketLog'
    | 'reconcilerConcurrency'
    | 'kmsKey'
    | 'region'
    | 'expires']?: string | undefined;
} & { domains?: DomainOptions };

/** Every stage except `production` is ephemeral: it belongs to a branch or a developer. */
export function settingsOf(stage: string, context: StageContext = {}): Settings {
  const models = modelsIn('models', context.models, [...STAGE_MODELS]);
  const openai = openaiIn(context.openaiAddress, context.openaiKeySecret, models);
  const alarmsEmail = emailIn(context.alarmsEmail);
  const expires = dayIn(context.expires);
  const name = stageName(stage);
  const stated = {
    ...common,
    sizes: { ...common.sizes, runTask: workerOf(context.workerMegabytes) },
    workers: { atOnce: workersIn(context.workerInstances), batchSize: TASKS_PER_INSTANCE },
    stage: name,
    origins: originsIn(context.origins),
    domains: domainsIn(context.domains ?? {}),
    models,
    seeing: context.seeing === NONE ? [NONE] : modelsIn('seeing-models', context.seeing, []),
    modelTable: modelTableIn(context.modelTable),
    retentionDays: wholeIn('retention-days', context.retentionDays, { defaultValue: 30, min: 1, max: MAX_KEPT_DAYS }),
    maxFileBytes:
      wholeIn('max-file-megabytes', context.maxFileMegabytes, { defaultValue: 512, min: 1, max: 5_000 }) * MEBIBYTE,
    hasWebSocketLog: booleanIn('websocket-log', context.webSocketLog),
    badCredentials: wholeIn('unauthorized-calls', context.badCredentials, {
      defaultValue: DEFAULT_BAD_CREDENTIALS,
      min: 10,
      max: 1_000_000,
    }),
    cpuSeconds: {
      document: cpuSecondsIn('document-cpu-seconds', context.documentCpuSeconds, CPU_SECONDS.document),
      ocrPage: cpuSecondsIn('ocr-page-cpu-seconds', context.ocrPageCpuSeconds, CPU_SECONDS.ocrPage),
    },
    ...reservedIn(context.reconcilerConcurrency),
    ...(openai ? { openai } : {}),
    ...searchUrlIn(context.searchUrl),
    ...kmsKeyIn(context.kmsKey, context.region),
    ...senderIn(context.sender),
    ...(alarmsEmail ? { alarmsEmail } : {}),
  };
  if (name === PRODUCTION_STAGE) return { ...stated, isEphemeral: false, logRetention: RetentionDays.THREE_MONTHS };
  return { ...stated, isEphemeral: true, logRetention: RetentionDays.ONE_WEEK, ...(expires ? { expires } : {}) };
}

/** Tasks mostly wait for a model, and the wait is paid at this size; the memory limit of one document follows from it. */
const workerOf = (megabytes: string | undefined): Size => ({
  memoryMegabytes: wholeIn('worker-megabytes', megabytes, { defaultValue: 768, min: 512, max: 10_240 }),
  timeoutSeconds: 900,
});

/** The largest maximum concurrency that Lambda accepts for a queue. */
const MAX_INSTANCES = 1_000;
/** The most workers of which no lane gets more instances than Lambda accepts. */
export const MAX_WORKERS = Math.ceil((MAX_INSTANCES + 1) / Math.max(...Object.values(LANE_SHARES))) - 1;

const workersIn = (instances: string | undefined): number =>
  wholeIn('worker-instances', instances, { defaultValue: 40, min: 1, max: MAX_WORKERS });

const ORIGIN = /^https?:\/\/[^/\s,]+$/;

function originsIn(text = ''): string[] {
  const origins = partsOf(text);
  const wrong = origins.find((origin) => !ORIGIN.test(origin));
  if (wrong === undefined) return origins;
  throw new RangeError(
    `${JSON.stringify(wrong)} is not a valid origin: use origins such as https://console.host.org, separated by commas.`,
  );
}

const partsOf = (text = ''): string[] => text.split(',').filter((part) => part !== '');

/** As the list of models that accept images: no model, not even those known by name. */
const NONE = 'none';

/** Model names that a role's policy can contain: no ARN and no wildcard. */
const ON_BEDROCK = /^[a-z0-9][\w.:-]*$/;

function modelsIn(setting: string, text: string | undefined, defaults: string[]): string[] {
  const models = partsOf(text);
  const fault = faultOfModels(models);
  if (fault !== undefined) throw new RangeError(`${setting}: ${fault}`);
  const unnamed = models.find((model) => model.startsWith('bedrock/') && !ON_BEDROCK.test(model.slice(8)));
  if (unnamed === undefined) return models.length > 0 ? models : defaults;
  throw new RangeError(`${setting}: ${unnamed.slice(0, 80)} is not the name of a Bedrock model or inference profile.`);
}

function modelTableIn(text = ''): string {
  if (text === '' || v.safeParse(modelTable(), text).success) return text;
  throw new RangeError('model-table: give JSON such as {"openai/ours":{"context":64000}}.');
}

/** The URL may be private, because only the worker uses it. */
function searchUrlIn(text = ''): Pick<Settings, 'searchUrl'> {
  if (text === '') return {};
  if (/^https?:\/\/[^@\s?#]+$/.test(text) && URL.canParse(text)) return { searchUrl: text };
  throw new RangeError(`search-url: give the URL of a SearXNG, such as http://search.host.internal:8080/.`);
}

/** A name in Secrets Manager; the worker may read this secret only. */
const SECRET = /^[\w/+=.@-]{1,512}$/;

function openaiIn(address = '', keySecret = '', models: readonly string[] = []): Settings['openai'] {
  if (address === '') return refuseModelServerSettings(keySecret, models);
  if (!/^https:\/\/[^/\s]+(\/\S*)?$/.test(address)) {
    throw new RangeError(
      `${JSON.stringify(address)} is not a valid HTTPS URL of a model server: use one such as https://host.org/v1.`,
    );
  }
  if (keySecret === '') return { address };
  if (SECRET.test(keySecret)) return { address, keySecret };
  throw new RangeError(
    `openai-key-secret is ${JSON.stringify(keySecret.slice(0, 80))}: give the secret's name, no ARN.`,
  );
}

/** Without a URL, a secret or a model of such a server is an error. */
function refuseModelServerSettings(keySecret: string, models: readonly string[]): undefined {
  const openaiModel = models.find((model) => model.startsWith('openai/'));
  if (openaiModel !== undefined) throw new RangeError(`models: ${openaiModel.slice(0, 80)} needs openai-address.`);
  if (keySecret !== '') throw new RangeError('openai-key-secret has no effect without openai-address.');
}

/** Not an alias: roles are granted the key itself. */
const KMS_KEY =
  /^arn:aws[a-z-]*:kms:([a-z0-9-]+):\d{12}:key\/(mrk-[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** `deployedTo`: the region of the deployment, which a synthesis without credentials does not know. */
function kmsKeyIn(arn = '', deployedTo = ''): Pick<Settings, 'kmsKey'> {
  if (arn === '') return {};
  const region = KMS_KEY.exec(arn)?.[1];
  if (region === undefined) {
    const example = 'arn:aws:kms:eu-central-1:111122223333:key/0a1b2c3d-1111-2222-3333-444455556666';
    throw new RangeError(`kms-key is ${JSON.stringify(arn.slice(0, 200))}: give the ARN of a key, such as ${example}.`);
  }
  if (deployedTo === '' || region === deployedTo) return { kmsKey: { arn, region } };
  throw new RangeError(
    `kms-key is of ${region}, and the stage of ${deployedTo}: make a key in ${deployedTo}, or deploy to ${region}.`,
  );
}

/** One address without a display name: the worker may send from it only. */
function senderIn(text = ''): { sender?: string } {
  if (text === '') return {};
  if (/^[a-z0-9][a-z0-9._+-]{0,63}@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i.test(text))
    return { sender: text };
  throw new RangeError(
    `${JSON.stringify(text)} is not a valid sender: use an e-mail address such as notifications@host.org.`,
  );
}

function emailIn(text = ''): string | undefined {
  if (text === '' || /^[^\s@,;<>"]{1,64}@([a-z0-9-]+\.)+[a-z]{2,63}$/i.test(text)) return text || undefined;
  throw new RangeError(`alarms-email is ${JSON.stringify(text)}: give an address such as ops@example.com.`);
}

function dayIn(text = ''): string | undefined {
  const at = new Date(/^\d{4}-\d\d-\d\d$/.test(text) ? text : Number.NaN);
  if (text === '' || (!Number.isNaN(at.getTime()) && at.toISOString().startsWith(text))) return text || undefined;
  throw new RangeError(`expires is ${JSON.stringify(text)}: give a day such as 2026-12-31.`);
}

const cpuSecondsIn = (name: string, text: string | undefined, defaultValue: number): number =>
  wholeIn(name, text, { defaultValue, min: 1, max: CPU_SECONDS.most });

const reservedIn = (text = ''): Pick<Settings, 'reconcilerConcurrency'> =>
  text === ''
    ? {}
    : { reconcilerConcurrency: wholeIn('reconciler-concurrency', text, { defaultValue: 1, min: 1, max: 10 }) };

function booleanIn(name: string, text = 'off'): boolean {
  if (text === 'on' || text === 'off' || text === '') return text === 'on';
  throw new RangeError(`${name} is ${JSON.stringify(text)}: give on or off.`);
}

type Range = { defaultValue: number; min: number; max: number };

function wholeIn(name: string, text: string | undefined, { defaultValue, min, max }: Range): number {
  if (text === undefined || text === '') return defaultValue;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new RangeError(`${name} is ${JSON.stringify(text)}: give a whole number from ${min} to ${max}.`);
}

/** The last day of an ephemeral stage: the given one, otherwise the one of its commit if that is not past. */
type StageDays = { chosen: string | undefined; ofCommit: string | undefined; today: string | undefined };

const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Rejects a past day, because the stage would be deleted in the night after its deployment, data included. Days are
 * compared as texts.
 */
export function dayOfEnd({ chosen, ofCommit, today = '' }: StageDays): string | undefined {
  if (chosen === undefined) return ofCommit !== undefined && ofCommit >= today ? ofCommit : undefined;
  // A malformed day is rejected with the other settings.
  if (!DAY.test(chosen) || chosen >= today) return chosen;
  throw new RangeError(`expires is ${JSON.stringify(chosen)}, which is past: give ${today} or a later day.`);
}

/** The default lifetime of an ephemeral stage, counted from its commit, so that one commit always gives the same template. */
const LIFE_MS = daysMs(14);

export function endOfCommit(folder: string): string | undefined {
  try {
    const committedAt = execFileSync('git', ['log', '-1', '--format=%ct'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return new Date(Number(String(committedAt).trim()) * 1_000 + LIFE_MS).toISOString().slice(0, 10);
  } catch {
    return undefined; // not a Git checkout: the stage has no default day
  }
}

const MEANS = {
  FilesAndTasksBaseUrl: 'Where the Files & Tasks API answers.',
  AgentsRootUrl: 'Where the agent API and the logins answer.',
  ConsoleUrl: "Where an organization's people open the console.",
  AgentsWsUrl: 'Where the WebSocket answers, at /ws/tasks.',
  SocketsUrl: 'Where the stage itself sends news to connections.',
  TableName: 'The table that holds the state.',
  BucketName: 'The bucket of what the product itself writes, such as results.',
  UploadsBucketName: 'The bucket of files, where each upload is a version of its own.',
  MasterSecretId: 'The secret from which keys and signatures are derived.',
  Models: 'The models of a new organization, the default first.',
  Sender: 'Who mails come from.',
  MailSet: 'The configuration set by which bounces and complaints are heard of.',
};

export function addOutputs(stack: Stack, values: { [name in keyof typeof MEANS]?: string }): void {
  for (const [name, value] of Object.entries(values))
    new CfnOutput(stack, name, { value, description: MEANS[name as keyof typeof MEANS] });
}
