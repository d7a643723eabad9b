/** Writes what is known of models, from LiteLLM's list of models: `npm run catalogue`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { keyOf, openName, REGION } from '../engines/models/model-names.ts';
import { readArguments } from './arguments.ts';

const SOURCE = 'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json';
const LICENCE = 'MIT License, Copyright 2023 Berri AI';

/** The fields of a model in the source that are used here. Costs are in US dollars for a token. */
type Listed = {
  litellm_provider?: string;
  mode?: string;
  max_input_tokens?: number;
  max_output_tokens?: number;
  input_cost_per_token?: number;
  output_cost_per_token?: number;
  cache_read_input_token_cost?: number;
  supports_vision?: boolean;
  supports_reasoning?: boolean;
  supports_prompt_caching?: boolean;
};

type Described = Listed & { max_input_tokens: number; max_output_tokens: number };
type Facts = { context: number; output: number; abilities: string };
type Price = number[];
type ByName<T> = Record<string, T>;

/** What a provider calls a model, or undefined for what no task can use: speech, search, fine-tuned and special models. */
const PROVIDERS: ByName<(name: string, listed: Listed) => string | undefined> = {
  openai: (name, { litellm_provider: of }) =>
    of === 'openai' && !/^ft:|audio|search|computer|deep-research|container|cyber|rosalind|daybreak|^chat/.test(name)
      ? name
      : undefined,
  anthropic: (name, { litellm_provider: of }) => (of === 'anthropic' ? name : undefined),
  google: (name, { litellm_provider: of }) => {
    const bare = name.replace(/^gemini\//, '');
    const isText = /^(gemini-\d|gemini-(flash|pro)|gemma)/.test(bare) && !/tts|image|live|computer|custom/.test(bare);
    return of === 'gemini' && isText ? bare : undefined;
  },
  bedrock: (name, { litellm_provider: of }) =>
    of?.startsWith('bedrock') &&
    /^[a-z0-9.-]+\.[^/]+$/.test(name) &&
    !/twelvelabs|voxtral|safeguard|commitment/.test(name)
      ? name
      : undefined,
};

/** Who serves open models under the names of their authors. */
const OPEN_HOSTS = new Set(['deepinfra', 'novita', 'together_ai']);
const IS_NO_OPEN_MODEL = /claude|gemini|seed-|-max|^community$/;

/** Bedrock caches up to a mark for the models of these vendors; others refuse the mark or cache by themselves. */
const TAKES_MARKS = /^(claude|(.*\.)?(anthropic|amazon)\.)/;

const hasFacts = (listed: Listed): listed is Described =>
  (listed.mode === 'chat' || listed.mode === 'responses') &&
  listed.max_input_tokens !== undefined &&
  listed.max_output_tokens !== undefined;

function abilitiesOf(name: string, listed: Listed): string {
  const caches = listed.supports_prompt_caching && TAKES_MARKS.test(name);
  return [listed.supports_vision && 'v', listed.supports_reasoning && 'r', caches && 'c'].filter(Boolean).join('');
}

/** For a million tokens, without the noise of binary fractions. */
const perMillion = (dollars: number): number => Number((dollars * 1_000_000).toPrecision(6));

function priceOf(listed: Listed): Price | undefined {
  const { input_cost_per_token: input, output_cost_per_token: output, cache_read_input_token_cost: cached } = listed;
  if (!input || !output) return undefined;
  return [input, output, ...(cached === undefined ? [] : [cached])].map(perMillion);
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Leaves out names that are found by a shorter name with the same value: those with a date or a region. */
function withoutRepeated<T>(rows: ByName<T>): ByName<T> {
  const bare = (name: string) => name.replace(REGION, '').replace(/-20\d\d-?\d\d-?\d\d(?=$|-v)/, '');
  return Object.fromEntries(
    Object.entries(rows).filter(([name, row]) => {
      const shorter = [name.replace(REGION, ''), bare(name)].filter(
        (candidate) => candidate !== name && candidate in rows,
      );
      return !shorter.some((candidate) => isSame(rows[candidate], row));
    }),
  );
}

/** One row for all regions with the same price: `{eu,us}.model`. */
function withGroupedRegions(rows: ByName<Price>): ByName<Price> {
  const grouped = new Map<string, { regions: string[]; name: string; price: Price }>();
  for (const [name, price] of Object.entries(rows)) {
    const region = REGION.exec(name)?.[1];
    const bare = name.replace(REGION, '');
    const key = region === undefined ? name : JSON.stringify([bare, price]);
    const group = grouped.get(key) ?? { regions: [], name: bare, price };
    if (region !== undefined) group.regions.push(region);
    grouped.set(key, group);
  }
  return Object.fromEntries(
    [...grouped.values()].map(({ regions, name, price }) => [
      regions.length > 0 ? `{${regions.toSorted().join(',')}}.${name}` : name,
      price,
    ]),
  );
}

const sorted = <T>(rows: ByName<T>): ByName<T> =>
  Object.fromEntries(Object.entries(rows).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** The names of open models with what they can; their context is that of the server that runs them. */
function openModels(models: ByName<Listed>): ByName<string> {
  const abilitiesByName = new Map<string, Set<string>>();
  for (const [name, listed] of Object.entries(models)) {
    const bare = openName(name);
    if (!OPEN_HOSTS.has(listed.litellm_provider ?? '') || listed.mode !== 'chat' || IS_NO_OPEN_MODEL.test(bare))
      continue;
    const abilities = abilitiesByName.get(bare) ?? new Set();
    for (const ability of abilitiesOf('', listed)) abilities.add(ability);
    abilitiesByName.set(bare, abilities);
  }
  return Object.fromEntries(
    [...abilitiesByName].flatMap(([name, can]) => (can.size > 0 ? [[name, [...can].sort().join('')]] : [])),
  );
}

/** Two names that are looked up alike must say the same. */
function refuseAmbiguous(rows: ByName<unknown>): void {
  const rowsByKey = new Map<string, unknown>();
  for (const [name, row] of Object.entries(rows)) {
    const key = keyOf(name);
    if (rowsByKey.has(key) && !isSame(rowsByKey.get(key), row))
      throw new Error(`${name} is looked up like another model.`);
    rowsByKey.set(key, row);
  }
}

export function catalogueOf(models: ByName<Listed>, asOf: string) {
  const about = { asOf, source: SOURCE, licence: LICENCE };
  const facts: ByName<ByName<Facts>> = {};
  const prices: ByName<ByName<Price>> = {};
  for (const [provider, nameOf] of Object.entries(PROVIDERS)) {
    const rows = Object.entries(models).flatMap(([listedName, listed]) => {
      if (!hasFacts(listed)) return [];
      const name = nameOf(listedName, listed);
      return name === undefined ? [] : [{ name, listed }];
    });
    const factsOf = rows.map(({ name, listed }): [string, Facts] => [
      name,
      {
        context: listed.max_input_tokens,
        output: listed.max_output_tokens,
        abilities: abilitiesOf(name, listed),
      },
    ]);
    const pricesOf = rows.flatMap(({ name, listed }): [string, Price][] => {
      const price = priceOf(listed);
      return price ? [[name, price]] : [];
    });
    facts[provider] = sorted(withoutRepeated(Object.fromEntries(factsOf)));
    prices[provider] = sorted(withGroupedRegions(withoutRepeated(Object.fromEntries(pricesOf))));
    refuseAmbiguous(facts[provider]);
    refuseAmbiguous(prices[provider]);
  }
  return {
    catalogue: {
      ...about,
      abilities: { v: 'sees images', r: 'reasons', c: 'takes marks of a cache' },
      ...facts,
      open: sorted(openModels(models)),
    },
    prices: {
      ...about,
      columns: ['input', 'output', 'cachedInput'],
      unit: 'US dollars for a million tokens',
      ...prices,
    },
  };
}

if (import.meta.main) {
  const { values } = readArguments({
    command: 'npm run catalogue',
    options: {
      file: { type: 'string', value: 'FILE', help: `reads this copy of ${SOURCE}` },
    },
  });
  const text = values.file === undefined ? await (await fetch(SOURCE)).text() : readFileSync(values.file, 'utf8');
  const files = catalogueOf(JSON.parse(text), new Date().toISOString().slice(0, 10));
  for (const [name, content] of Object.entries(files)) {
    const file = join(import.meta.dirname, '..', 'engines', 'models', `${name}.json`);
    writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
    console.log(`${file}: ${JSON.stringify(content).length} bytes without layout`);
  }
  console.log('Lay the files out with npm run format, and look at their diff.');
}
