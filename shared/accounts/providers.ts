/** An organization's providers: the models that its tasks may name, and the search provider of its research. */
import * as v from 'valibot';
import { nearestName } from '../core/nearest-name.ts';
import { definedFields } from '../core/optional-fields.ts';
import { Problem } from '../core/problem.ts';
import { putRow } from '../core/table-access.ts';
import { HOUR_MS } from '../core/time.ts';
import type { Vault } from '../core/vault.ts';
import type { Clock, Key, Table } from '../ports.ts';
import { ENVIRONMENT_CONNECTIONS } from './model-connections.ts';

/** The models an organization may name, each by its connection and its name there; the first is the default. */
const MAX_MODELS = 50;

const MODEL = /^(?=.{3,200}$)[a-z][a-z0-9-]{0,39}\/[!-~]+$/;

/** Models that work on one machine without an API key. */
export const OFFLINE_MODELS: readonly string[] = ['offline/extractive'];

/** Whether a model writes text of its own. Without one, a task gets passages and values that code finds. */
export const writesText = (model: string): boolean => !OFFLINE_MODELS.includes(model);

const OFFLINE = 'offline';

export const connectionIn = (model: string): string => model.slice(0, model.indexOf('/'));

/**
 * Why a model cannot exist; `undefined` if all of them may. `connections` are the names that exist; without them, as
 * before a deployment, only a misspelled name of the usual ones is a fault.
 */
export function faultOfModels(models: readonly string[], connections?: readonly string[]): string | undefined {
  const unfit = models.find((model) => !MODEL.test(model));
  if (unfit !== undefined) {
    return `${JSON.stringify(unfit.slice(0, 80))} is not a model: write NAME/model, such as ${OFFLINE_MODELS[0]}.`;
  }
  for (const name of new Set(models.map(connectionIn))) {
    const fault = connections ? faultOfName(name, [OFFLINE, ...connections]) : misspelling(name);
    if (fault !== undefined) return fault;
  }
  const missing = models.find((model) => model.startsWith('offline/') && !OFFLINE_MODELS.includes(model));
  return missing === undefined
    ? undefined
    : `There is no ${missing}; the provider offline has only ${OFFLINE_MODELS[0]}, which is no language model.`;
}

const faultOfName = (name: string, names: readonly string[]): string | undefined =>
  names.includes(name)
    ? undefined
    : `There is no connection ${name} to models; there are ${names.join(', ')}. Add it with "npx errand model add ${name}".`;

/** A name that only goes on where a usual one ends, such as openai-eu, is a name of its own. */
function misspelling(name: string): string | undefined {
  const usual = [OFFLINE, ...ENVIRONMENT_CONNECTIONS];
  const nearest = usual.some((known) => name.startsWith(known)) ? undefined : nearestName(name, usual);
  return nearest === undefined ? undefined : `There is no connection ${name} to models: did you mean ${nearest}?`;
}

export function checkModels(models: readonly string[], connections: readonly string[]): string[] {
  const fault = faultOfModels(models, connections);
  if (fault !== undefined) throw new Problem('invalid', fault);
  if (models.length === 0 || models.length > MAX_MODELS || new Set(models).size < models.length) {
    throw new Problem('invalid', `An organization has 1 to ${MAX_MODELS} models, each once.`);
  }
  return [...models];
}

/** The schema of an operator's model table; see `engines/models/profile.ts`. A function, so that bundles leave it out. */
export function modelTable() {
  const tokens = v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1_000), v.maxValue(10_000_000)));
  const isCapable = v.exactOptional(v.boolean());
  const dollars = v.pipe(v.number(), v.minValue(0));
  const profile = v.strictObject({
    context: tokens,
    output: tokens,
    whole: tokens,
    vision: isCapable,
    reasoning: isCapable,
    schema: v.exactOptional(v.picklist(['strict', 'tool', 'prompt'])),
    firstTokenMs: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1_000), v.maxValue(HOUR_MS))),
    price: v.exactOptional(
      v.strictObject({ input: dollars, output: dollars, cachedInput: v.exactOptional(dollars), asOf: v.string() }),
    ),
  });
  return v.pipe(v.string(), v.parseJson(), v.record(v.string(), profile));
}

export const SEARCH_PRESETS = ['searxng', 'brave', 'tavily', 'exa', 'serper'] as const;
export type SearchPreset = (typeof SEARCH_PRESETS)[number];

/** `url` is the base address of the provider; the preset adds its path. */
export type SearchProvider = { preset: SearchPreset; url: string; since: number; sealedKey?: string };

export const DEFAULT_URLS: Partial<Record<SearchPreset, string>> = {
  brave: 'https://api.search.brave.com/',
  tavily: 'https://api.tavily.com/',
  exa: 'https://api.exa.ai/',
  serper: 'https://google.serper.dev/',
};

/** All presets except SearXNG need a key. */
const needsKey = (preset: SearchPreset): boolean => preset !== 'searxng';

const MAX_KEY_LENGTH = 1_000;
const VISIBLE = /^[!-~]+$/;

const keyOf = (organization: string): Key => ({ pk: `O#${organization}`, sk: 'SEARCH_PROVIDER' });

/** Part of the seal: a key that was sealed for one origin cannot be opened for another. */
const contextOf = (organization: string, url: string): string => `${organization} ${new URL(url).origin}`;

export const searchProviderOf = async (table: Table, organization: string): Promise<SearchProvider | undefined> =>
  (await table.get<SearchProvider>(keyOf(organization)))?.value;

type Ports = { table: Table; clock: Clock; vault: Vault };
type Wanted = { preset: SearchPreset; url: string; key?: string };

/** Replaces the provider. Without a new key, the stored key is kept if preset and origin stay the same. */
export async function setSearchProvider(
  { table, clock, vault }: Ports,
  organization: string,
  { preset, url, key }: Wanted,
): Promise<SearchProvider> {
  if (key !== undefined && (!VISIBLE.test(key) || key.length > MAX_KEY_LENGTH)) {
    throw new Problem('invalid', `A key has 1 to ${MAX_KEY_LENGTH} visible ASCII characters, in one line.`);
  }
  const before = await searchProviderOf(table, organization);
  const isSame = before?.preset === preset && new URL(before.url).origin === new URL(url).origin;
  const kept = isSame ? before.sealedKey : undefined;
  const sealedKey = key === undefined ? kept : await vault.seal(key, contextOf(organization, url));
  if (sealedKey === undefined && needsKey(preset)) {
    throw new Problem('invalid', `${preset} needs a key: give --key-stdin and the key on standard input.`);
  }
  const provider = { preset, url, since: clock.now(), ...definedFields({ sealedKey }) };
  await putRow<SearchProvider>(table, { ...keyOf(organization), value: provider });
  return provider;
}

export async function removeSearchProvider(table: Table, organization: string): Promise<void> {
  const row = await table.get<SearchProvider>(keyOf(organization));
  if (row && !(await table.remove(row))) {
    throw new Problem('busy', 'The search provider is being changed by another request; try again.');
  }
}

/** Only for requests to the provider: the key is never shown. */
export async function openSearchKey(
  vault: Vault,
  organization: string,
  { url, sealedKey }: SearchProvider,
): Promise<string | undefined> {
  return sealedKey === undefined ? undefined : vault.open(sealedKey, contextOf(organization, url));
}
