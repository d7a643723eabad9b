/** Validates the environment. Each function reads only the variables its users need. */

import * as v from 'valibot';
import { type Environment, environment } from './environment.ts';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { nonEmpty, onAws, read, webAddress } from './read-setting.ts';
import { CPU_SECONDS, DEFAULT_BAD_CREDENTIALS, DEFAULT_LIMITS } from './stage-limits.ts';

const port = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/),
  v.transform(Number),
  v.minValue(1),
  v.maxValue(65_534), // the agent API takes the port after it
);

const logLevel = (env: Environment, defaultLevel: LogLevel) =>
  read(
    env,
    environment.logLevel,
    v.optional(v.picklist(LOG_LEVELS), defaultLevel),
    `give one of ${LOG_LEVELS.join(', ')}.`,
  );

export const localConfig = (env: Environment) => ({
  stateFolder: read(env, environment.state, v.optional(nonEmpty, '.errand'), 'give a folder.'),
  port: read(
    env,
    environment.port,
    v.optional(port, '4000'),
    'give a whole number from 1 to 65534; the agent API takes the next one.',
  ),
  // In a terminal, successful requests are noise.
  logLevel: logLevel(env, 'warn'),
});

const megabytes = v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number), v.minValue(64));
export const documentsConfig = (env: Environment) => ({
  memoryMb: read(env, environment.documentMegabytes, megabytes, 'give a whole number of megabytes, 64 or more.'),
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

export const tableConfig = (env: Environment) => ({ tableName: read(env, environment.table, nonEmpty, onAws) });
export const blobsConfig = (env: Environment) => ({
  ...resultsConfig(env),
  uploads: read(env, environment.uploadsBucket, nonEmpty, onAws),
});
/** For functions without access to callers' uploads. */
export const resultsConfig = (env: Environment) => ({ bucket: read(env, environment.bucket, nonEmpty, onAws) });
export const secretsConfig = (env: Environment) => ({
  masterSecretId: read(env, environment.masterSecret, nonEmpty, onAws),
});
/** The secret is unset if no CDN is in front of the gateway. */
export const originSecretConfig = (env: Environment) => ({
  originSecretId: read(env, environment.originSecret, v.optional(nonEmpty), ''),
});
export const queuesConfig = (env: Environment) => ({
  lanes: {
    high: read(env, environment.highLane, nonEmpty, onAws),
    normal: read(env, environment.normalLane, nonEmpty, onAws),
    low: read(env, environment.lowLane, nonEmpty, onAws),
  },
  ...webhookQueueConfig(env),
});
const instances = v.pipe(v.string(), v.regex(/^\d{1,4}$/), v.transform(Number), v.minValue(1));
export const workersConfig = (env: Environment) => ({ atOnce: read(env, environment.workers, instances, onAws) });
export const webhookQueueConfig = (env: Environment) => ({
  webhooks: read(env, environment.webhooks, nonEmpty, onAws),
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
  v.strictTuple([nonEmpty, nonEmpty, nonEmpty]),
);

export function schedulesConfig(env: Environment) {
  const [high, normal, low] = read(env, environment.scheduledLanes, eachLane, onAws);
  const group = read(env, environment.schedules, nonEmpty, onAws);
  return { group, role: read(env, environment.schedulesRole, nonEmpty, onAws), lanes: { high, normal, low } };
}
export const socketsConfig = (env: Environment) => ({ sockets: read(env, environment.sockets, webAddress, onAws) });
export const unauthenticatedQueueConfig = (env: Environment) => ({
  strangers: read(env, environment.strangers, nonEmpty, onAws),
});
/** Without a namespace no metrics are published. */
export const logConfig = (env: Environment) => ({
  logLevel: logLevel(env, 'info'),
  metrics: read(env, environment.metrics, v.optional(nonEmpty), ''),
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
