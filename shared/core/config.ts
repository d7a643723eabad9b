/** Checks the environment and says in one line what to mend. Each part reads only the names its users need. */
import * as v from 'valibot';
import { type Environment, environment } from './environment.ts';
import { LOG_LEVELS } from './log.ts';
import { Problem } from './problem.ts';

const set = v.pipe(v.string(), v.minLength(1));

const port = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/),
  v.transform(Number),
  v.minValue(1),
  v.maxValue(65_534), // the agent API takes the port after it
);

/** An empty value counts as not set, as shells and templates often leave one behind. */
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

const logLevel = (env: Environment) =>
  read(env, environment.logLevel, v.optional(v.picklist(LOG_LEVELS), 'info'), `give one of ${LOG_LEVELS.join(', ')}.`);

export const localConfig = (env: Environment) => ({
  stateFolder: read(env, environment.state, v.optional(set, '.errand'), 'give a folder.'),
  port: read(
    env,
    environment.port,
    v.optional(port, '4000'),
    'give a whole number from 1 to 65534; the agent API takes the next one.',
  ),
  logLevel: logLevel(env),
});

const onAws = 'deploy the stack again, which sets it.';

export const tableConfig = (env: Environment) => ({ tableName: read(env, environment.table, set, onAws) });
export const blobsConfig = (env: Environment) => ({ bucket: read(env, environment.bucket, set, onAws) });
export const secretsConfig = (env: Environment) => ({
  masterSecretId: read(env, environment.masterSecret, set, onAws),
});
export const logConfig = (env: Environment) => ({ logLevel: logLevel(env) });
