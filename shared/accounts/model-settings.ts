/** The settings of models, of their providers and of the search in the web. */

import * as v from 'valibot';
import { type Environment, environment } from '../core/environment.ts';
import { definedFields } from '../core/optional-fields.ts';
import { nonEmpty, read, webAddress } from '../core/read-setting.ts';
import { modelTable } from './model-table.ts';
import { OFFLINE_MODELS } from './models.ts';

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

const optionalText = (env: Environment, name: string) => read(env, name, v.optional(nonEmpty), '');

/** On one machine, without a region no models of Amazon Bedrock are available, and without credentials only by an API key. */
export function bedrockConfig(env: Environment) {
  const accessKeyId = optionalText(env, environment.awsKeyId);
  const secretAccessKey = optionalText(env, environment.awsSecret);
  const sessionToken = optionalText(env, environment.awsToken);
  const hasCredentials = accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    awsRegion: optionalText(env, environment.awsRegion),
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

const usualKey = (env: Environment, name: string) => read(env, name, v.optional(nonEmpty), '');

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

export const modelKeyConfig = (env: Environment) => ({
  key: read(env, environment.modelKey, v.optional(nonEmpty), ''),
});
export const modelKeySecretConfig = (env: Environment) => ({
  keySecret: read(env, environment.modelKeySecret, v.optional(nonEmpty), ''),
});
