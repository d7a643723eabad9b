/** Reads one variable of the environment, and names in one line what to correct. */

import * as v from 'valibot';
import type { Environment } from './environment.ts';
import { Problem } from './problem.ts';

export const nonEmpty = v.pipe(v.string(), v.minLength(1));

/** An empty value counts as not set, because shells and templates often leave one. */
export function read<S extends v.GenericSchema<unknown, unknown>>(
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

export const webAddress = v.pipe(
  v.string(),
  v.check((text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''), 'an address'),
);

export const onAws = 'deploy the stack again, which sets it.';
