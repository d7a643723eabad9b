/** What is known of models: the kept catalogue, families, and the operator's entries. */
import { expect, it } from 'vitest';
import catalogue from '../../../engines/models/catalogue.json' with { type: 'json' };
import prices from '../../../engines/models/prices.json' with { type: 'json' };
import { priceCheck } from '../../../engines/models/prices.ts';
import { profileOf, wholeTokens } from '../../../engines/models/profile.ts';
import { catalogueOf } from '../../../scripts/catalogue.ts';

const { asOf } = prices;
const CAUTIOUS = { context: 32_000, output: 8_000, vision: false, reasoning: false, schema: 'strict' };

it('knows a model by its name, whatever its connection is called', () => {
  const [input, output, cachedInput] = prices.anthropic['claude-sonnet-4-5'];
  const { abilities: _, ...limits } = catalogue.anthropic['claude-sonnet-4-5'];
  const sonnet = profileOf('anthropic/claude-sonnet-4-5');
  expect(sonnet).toEqual({
    ...limits,
    vision: true,
    reasoning: true,
    cachePoints: true,
    schema: 'strict',
    price: { input, output, cachedInput, asOf },
  });
  for (const id of [
    'work/claude-sonnet-4-5',
    'work/claude-sonnet-4-5-20250929',
    'gateway/anthropic/claude-sonnet-4.5',
    'work/Claude-Sonnet-4-5-latest',
  ])
    expect(profileOf(id), id).toEqual(sonnet);
  expect(profileOf('azure/gpt-4o-2024-11-20')).toEqual(profileOf('openai/gpt-4o'));
});

it.each(['toString/constructor', 'openai/ours', 'openai/gpt-4oo', 'work/claude'])(
  'uses cautious values for %s, which it does not know',
  (id) => {
    expect(profileOf(id)).toEqual(CAUTIOUS);
  },
);

it('knows models of Bedrock by their profiles of inference, with the price of the region', () => {
  const name = 'anthropic.claude-sonnet-4-5-20250929-v1:0';
  const [direct, global, europe, canada] = ['', 'global.', 'eu.', 'ca.'].map((region) =>
    profileOf(`bedrock/${region}${name}`),
  );
  expect(direct).toMatchObject({ vision: true, reasoning: true, cachePoints: true, price: { asOf } });
  expect(global).toEqual(direct);
  expect(europe?.price?.input).toBeGreaterThan(direct?.price?.input ?? 0);
  expect({ ...europe, price: undefined }).toEqual({ ...direct, price: undefined });
  // A region without a row of its own costs what the model costs.
  expect(canada).toEqual(direct);
  expect(profileOf(`work/eu.${name}`)).toEqual(europe);
});

it('knows of open models what they can, but neither context nor price, which their server decides', () => {
  const oss = { ...CAUTIOUS, reasoning: true, output: 16_000 };
  for (const id of ['ollama/gpt-oss:20b', 'vllm/openai/gpt-oss-20b', 'work/gpt-oss-20b-fp8']) {
    expect(profileOf(id), id).toEqual(oss);
  }
  expect(profileOf('vllm/Qwen/Qwen3-VL-8B-Instruct')).toMatchObject({ vision: true, context: 32_000 });
  expect(profileOf('work/meta-llama/Llama-4-Scout-17B-16E-Instruct')).toMatchObject({ vision: true });
});

it('gives no price to a model on a server of the operator', () => {
  expect(profileOf('openai/gpt-4o').price).toBeDefined();
  expect(profileOf('ollama/gpt-4o')).toEqual({ ...profileOf('openai/gpt-4o'), price: undefined });
  expect(priceCheck()('ollama/gpt-4o')).toBe(false);
});

it.each([
  ['bedrock/meta.llama3-1-70b-instruct-v1:0', 'tool'],
  ['bedrock/us.meta.llama4-scout-17b-instruct-v1:0', 'tool'],
  ['openai/gpt-4-turbo', 'tool'],
  ['openai/gpt-4o', 'strict'],
  ['bedrock/amazon.nova-lite-v1:0', 'strict'],
])('holds the answers of %s to a form by a %s', (id, schema) => {
  expect(profileOf(id).schema).toBe(schema);
});

it('takes the entries of the operator over what is listed', () => {
  const own = {
    'openai/ours': { context: 64_000 },
    'openai/gpt-4o': { price: { input: 1, output: 2, asOf: '2026-11' } },
  };
  expect(profileOf('openai/ours', own)).toEqual({ ...CAUTIOUS, context: 64_000 });
  expect(profileOf('openai/ours', { 'openai/ours': { reasoning: true } }).output).toBe(16_000);
  expect(profileOf('openai/ours', { 'openai/ours': { reasoning: true, output: 9_000 } }).output).toBe(9_000);
  expect(profileOf('openai/gpt-4o', own)).toEqual({
    ...profileOf('openai/gpt-4o'),
    price: { input: 1, output: 2, asOf: '2026-11' },
  });
});

it('says which models have a price: those that are listed, those of the operator, and none', () => {
  const hasPrice = priceCheck({
    'openai/ours': { price: { input: 0, output: 0, asOf: '2026-11' } },
    'openai/theirs': { context: 64_000 },
  });
  const priced = ['offline/extractive', 'work/gpt-4o', 'bedrock/eu.amazon.nova-pro-v1:0', 'openai/ours'];
  const unpriced = ['openai/theirs', 'openai/gpt-0', 'bedrock/acme.unknown-v1:0', 'vllm/qwen3-32b'];
  expect([...priced, ...unpriced].filter(hasPrice)).toEqual(priced);
});

it('has plausible figures only', () => {
  const { openai, anthropic, google, bedrock } = catalogue;
  for (const [name, { context, output }] of Object.entries({ ...openai, ...anthropic, ...google, ...bedrock })) {
    expect(context, name).toBeGreaterThanOrEqual(1_000);
    expect(output, name).toBeGreaterThanOrEqual(1_000);
    expect(output, name).toBeLessThanOrEqual(context);
  }
  const lists = [prices.openai, prices.anthropic, prices.google, prices.bedrock];
  for (const [name, [input = 0, output = 0, cachedInput = 0]] of lists.flatMap((list) =>
    Object.entries<number[]>(list),
  )) {
    expect(input, name).toBeGreaterThan(0);
    expect(output, name).toBeLessThan(1_000);
    expect(cachedInput, name).toBeLessThanOrEqual(input);
  }
});

const LISTED = {
  litellm_provider: 'bedrock_converse',
  mode: 'chat',
  max_input_tokens: 200_000,
  max_output_tokens: 64_000,
  input_cost_per_token: 3e-6,
  output_cost_per_token: 1.5e-5,
  cache_read_input_token_cost: 3e-7,
  supports_vision: true,
  supports_prompt_caching: true,
};

it('is made of a list with one row for a model, its dated names and its regions, unless their price differs', () => {
  const dearer = { ...LISTED, input_cost_per_token: 3.3e-6 };
  const { catalogue: made, prices: pricesMade } = catalogueOf(
    {
      'amazon.nova-v1:0': LISTED,
      'global.amazon.nova-v1:0': LISTED,
      'us.amazon.nova-v1:0': dearer,
      'eu.amazon.nova-v1:0': dearer,
      'bedrock/us-east-1/amazon.nova-v1:0': LISTED,
      'gpt-9': { ...LISTED, litellm_provider: 'openai' },
      'gpt-9-2026-11-01': { ...LISTED, litellm_provider: 'openai' },
      'gpt-9-audio': { ...LISTED, litellm_provider: 'openai' },
      'text-embedding-9': { ...LISTED, litellm_provider: 'openai', mode: 'embedding' },
      'deepinfra/acme/Acme-7B-Instruct': { ...LISTED, litellm_provider: 'deepinfra' },
    },
    '2026-11-29',
  );
  expect(made).toMatchObject({
    asOf: '2026-11-29',
    openai: { 'gpt-9': { context: 200_000, output: 64_000, abilities: 'v' } },
    bedrock: { 'amazon.nova-v1:0': { context: 200_000, output: 64_000, abilities: 'vc' } },
    open: { 'acme-7b': 'v' },
  });
  const { openai, bedrock } = pricesMade as unknown as typeof prices;
  expect(openai).toEqual({ 'gpt-9': [3, 15, 0.3] });
  expect(bedrock).toEqual({ 'amazon.nova-v1:0': [3, 15, 0.3], '{eu,us}.amazon.nova-v1:0': [3.3, 15, 0.3] });
});

it('shows a document whole up to the operator’s number of tokens, and never more than half of the context', () => {
  const own = {
    'a/large': { context: 200_000 },
    'a/own': { context: 200_000, whole: 20_000 },
    'a/small': { context: 16_000 },
  };
  expect(['a/large', 'a/own', 'a/small', 'a/unknown'].map(wholeTokens(own))).toEqual([60_000, 20_000, 8_000, 16_000]);
});
