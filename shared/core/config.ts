/** Validates the environment and names in one line what to correct. Each function reads only the variables its users need. */

import * as v from 'valibot';
import { modelTable, OFFLINE_MODELS } from '../accounts/providers.ts';
import { isMailbox } from '../mail/mail.ts';
import { type Environment, environment } from './environment.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { definedFields } from './optional-fields.ts';
import { Problem } from './problem.ts';
import { CPU_SECONDS, DEFAULT_BAD_CREDENTIALS, DEFAULT_LIMITS } from './stage.ts';

const set = v.pipe(v.string(), v.minLength(1));

const port = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/),
  v.transform(Number),
  v.minValue(1),
  v.maxValue(65_534), // the agent API takes the port after it
);

/** An empty value counts as not set, because shells and templates often leave one. */
function read<S extends v.GenericSchema<unknown, unknown>>(
  env: Environment,
  name: string,
  schema: S,
  remedy: string,
): v.InferOutput<S> {
  const text = env[name] === '' ? undefined : env[name];
  const parsed = v.safeParse(schema, text);
  if (parsed.success) return parsed.output;
  const fault = text === undefined ? 'is not set' : `is ${JSON.stringify(text.slice(0, 80))}`;
  throw new Problem('badSetting', `${name} ${fault}: ${remedy}`);
}

const logLevel = (env: Environment, defaultLevel: LogLevel) =>
  read(
    env,
    environment.logLevel,
    v.optional(v.picklist(LOG_LEVELS), defaultLevel),
    `give one of ${LOG_LEVELS.join(', ')}.`,
  );

export const localConfig = (env: Environment) => ({
  stateFolder: read(env, environment.state, v.optional(set, '.errand'), 'give a folder.'),
  port: read(
    env,
    environment.port,
    v.optional(port, '4000'),
    'give a whole number from 1 to 65534; the agent API takes the next one.',
  ),
  // In a terminal, successful requests are noise.
  logLevel: logLevel(env, 'warn'),
});

const webAddress = v.pipe(
  v.string(),
  v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'an address'),
);

const models = v.pipe(
  v.optional(v.string(), OFFLINE_MODELS.join(',')),
  v.transform((text) => text.split(',').filter((part) => part !== '')),
  v.minLength(1),
);

export const modelsConfig = (env: Environment) => ({
  models: read(env, environment.models, models, `give models such as ${OFFLINE_MODELS[0]}, separated by commas.`),
});

export const areModelsSet = (env: Environment): boolean => (env[environment.models] ?? '') !== '';

/** Without an address no OpenAI-compatible models are available. */
export const modelConfig = (env: Environment) => ({
  address: read(
    env,
    environment.modelAddress,
    v.optional(webAddress),
    'give an address with its version, such as http://127.0.0.1:11434/v1.',
  ),
});

const text = (env: Environment, name: string) => read(env, name, v.optional(set), '');

/** On one machine, without a region no models of Amazon Bedrock are available, and without credentials only by an API key. */
export function bedrockConfig(env: Environment) {
  const accessKeyId = text(env, environment.awsKeyId);
  const secretAccessKey = text(env, environment.awsSecret);
  const sessionToken = text(env, environment.awsToken);
  const hasCredentials = accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    awsRegion: text(env, environment.awsRegion),
    awsCredentials: hasCredentials ? { accessKeyId, secretAccessKey, ...definedFields({ sessionToken }) } : undefined,
  };
}
const providerUrl = (env: Environment, name: string) =>
  read(env, name, v.optional(webAddress), 'give the base URL of the provider, such as https://gateway.host.org/v1.');

/** The usual variables of the providers of models. */
export const providersConfig = (env: Environment) => ({
  anthropic: { key: usualKey(env, environment.anthropicKey), url: providerUrl(env, environment.anthropicUrl) },
  openai: { key: usualKey(env, environment.openaiKey), url: providerUrl(env, environment.openaiUrl) },
  google: { key: usualKey(env, environment.googleKey), url: providerUrl(env, environment.googleUrl) },
});

const usualKey = (env: Environment, name: string) => read(env, name, v.optional(set), '');

/** Ollama reads the same variable, which may lack the scheme and the port, or name all interfaces. */
const ollamaHost = v.pipe(
  v.optional(v.string(), '127.0.0.1'),
  v.transform((text) => URL.parse(/^https?:\/\//.test(text) ? text : `http://${text.replace(/^:/, '127.0.0.1:')}`)),
  v.check((url) => url !== null, 'a host'),
  v.transform((url) => {
    const { protocol, hostname, port } = url as URL;
    const usualPort = protocol === 'https:' ? '' : `:${OLLAMA_PORT}`;
    return `${protocol}//${hostname === '0.0.0.0' ? '127.0.0.1' : hostname}${port ? `:${port}` : usualPort}`;
  }),
);
const OLLAMA_PORT = 11_434;

export const ollamaConfig = (env: Environment) => ({
  ollamaUrl: read(env, environment.ollamaHost, ollamaHost, 'give a host and port, such as 127.0.0.1:11434.'),
});

/** Without a URL, only organizations with a search provider can search the web. */
export const searchConfig = (env: Environment) => ({
  searchUrl: read(
    env,
    environment.searchUrl,
    v.optional(webAddress),
    'give the URL of a SearXNG, such as http://127.0.0.1:8080/.',
  ),
});

const seeing = v.optional(
  v.pipe(
    v.string(),
    v.transform((text) => text.split(',').filter((part) => part !== '')),
  ),
);

export const seeingConfig = (env: Environment) => ({ seeing: read(env, environment.seeingModels, seeing, '') });

export const modelTableConfig = (env: Environment) => ({
  table: read(
    env,
    environment.modelTable,
    v.optional(modelTable(), '{}'),
    'give JSON such as {"openai/ours":{"context":64000}}.',
  ),
});

const megabytes = v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number), v.minValue(64));
export const documentsConfig = (env: Environment) => ({
  memoryMb: read(env, environment.documentMegabytes, megabytes, 'give a whole number of megabytes, 64 or more.'),
});

export const modelKeyConfig = (env: Environment) => ({ key: read(env, environment.modelKey, v.optional(set), '') });
export const modelKeySecretConfig = (env: Environment) => ({
  keySecret: read(env, environment.modelKeySecret, v.optional(set), ''),
});

const mailbox = v.pipe(v.string(), v.check(isMailbox, 'an address'));
const SENDER_REMEDY = 'give one mail address, such as notifications@host.org.';

/** Without a sender no mail is sent. */
export const senderConfig = (env: Environment) => ({
  sender: read(env, environment.sender, v.optional(mailbox), SENDER_REMEDY),
});

/** On one machine all mails go into a folder, independent of the sender. */
export const localSenderConfig = (env: Environment) => ({
  sender: read(env, environment.sender, v.optional(mailbox, 'notifications@errand.local'), SENDER_REMEDY),
});

const whole = (max: number) =>
  v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number), v.minValue(1), v.maxValue(max));

const cpuSeconds = (env: Environment, name: string, defaultValue: number) =>
  read(
    env,
    name,
    v.optional(whole(CPU_SECONDS.most), `${defaultValue}`),
    `give a whole number of seconds, at most ${CPU_SECONDS.most}.`,
  );

/** The CPU time that reading one document may take. */
export const documentCpuConfig = (env: Environment) => ({
  cpuMs: 1_000 * cpuSeconds(env, environment.documentCpuSeconds, CPU_SECONDS.document),
  ocrPageCpuMs: 1_000 * cpuSeconds(env, environment.ocrPageCpuSeconds, CPU_SECONDS.ocrPage),
});

export const retentionConfig = (env: Environment) => ({
  keptDays: read(
    env,
    environment.retentionDays,
    v.optional(whole(3_650), `${DEFAULT_LIMITS.keptDays}`),
    'give a number of days.',
  ),
});
export const badCredentialsConfig = (env: Environment) => ({
  max: read(
    env,
    environment.badCredentials,
    v.optional(whole(1_000_000_000), `${DEFAULT_BAD_CREDENTIALS}`),
    'give a whole number of calls.',
  ),
});
export const stageLimitsConfig = (env: Environment) => ({
  ...retentionConfig(env),
  maxFileBytes: read(
    env,
    environment.maxFileBytes,
    v.optional(whole(5_368_709_120), `${DEFAULT_LIMITS.maxFileBytes}`),
    'give a number of bytes, at most 5 GiB.',
  ),
});

const onAws = 'deploy the stack again, which sets it.';

export const tableConfig = (env: Environment) => ({ tableName: read(env, environment.table, set, onAws) });
export const blobsConfig = (env: Environment) => ({
  ...resultsConfig(env),
  uploads: read(env, environment.uploadsBucket, set, onAws),
});
/** For functions without access to callers' uploads. */
export const resultsConfig = (env: Environment) => ({ bucket: read(env, environment.bucket, set, onAws) });
export const secretsConfig = (env: Environment) => ({
  masterSecretId: read(env, environment.masterSecret, set, onAws),
});
/** The secret is unset if no CDN is in front of the gateway. */
export const originSecretConfig = (env: Environment) => ({
  originSecretId: read(env, environment.originSecret, v.optional(set), ''),
});
export const queuesConfig = (env: Environment) => ({
  lanes: {
    high: read(env, environment.highLane, set, onAws),
    normal: read(env, environment.normalLane, set, onAws),
    low: read(env, environment.lowLane, set, onAws),
  },
  ...webhookQueueConfig(env),
});
const instances = v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1));
export const workersConfig = (env: Environment) => ({ atOnce: read(env, environment.workers, instances, onAws) });
export const webhookQueueConfig = (env: Environment) => ({ webhooks: read(env, environment.webhooks, set, onAws) });
export const mailConfig = (env: Environment) => ({
  ...senderConfig(env),
  mailSet: read(env, environment.mailSet, v.optional(set), ''),
  agentsUrl: read(env, environment.agentsUrl, webAddress, onAws),
});

const webAddresses = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.array(webAddress),
);
export const serviceUrlsConfig = (env: Environment) => ({
  serviceUrls: read(env, environment.serviceUrls, webAddresses, onAws),
});

const eachLane = v.pipe(
  v.string(),
  v.transform((text) => text.split(',')),
  v.strictTuple([set, set, set]),
);

export function schedulesConfig(env: Environment) {
  const [high, normal, low] = read(env, environment.scheduledLanes, eachLane, onAws);
  const group = read(env, environment.schedules, set, onAws);
  return { group, role: read(env, environment.schedulesRole, set, onAws), lanes: { high, normal, low } };
}
export const socketsConfig = (env: Environment) => ({ sockets: read(env, environment.sockets, webAddress, onAws) });
export const strangersConfig = (env: Environment) => ({ strangers: read(env, environment.strangers, set, onAws) });
/** Without a namespace no metrics are published. */
export const logConfig = (env: Environment) => ({
  logLevel: logLevel(env, 'info'),
  metrics: read(env, environment.metrics, v.optional(set), ''),
});

const origin = v.pipe(v.string(), v.trim(), v.regex(/^https?:\/\/[^/\s]+$/));
const origins = v.pipe(
  v.optional(v.string(), ''),
  v.transform((text) => text.split(',').filter((part) => part !== '')),
  v.array(origin),
);

export const originsConfig = (env: Environment) => ({
  origins: read(
    env,
    environment.origins,
    origins,
    'give origins such as https://console.host.org, separated by commas.',
  ),
});
