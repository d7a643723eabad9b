/** Requests longer than the model's context, and marks for the caches of providers. */

import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import { models } from '../../../engines/models/models.ts';
import { openAiCompatible } from '../../../engines/models/openai-compatible.ts';
import type { OwnProfiles } from '../../../engines/models/profile.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { ANTHROPIC } from './anthropic-wire.ts';
import { byConnection } from './by-connection.ts';
import { throughConnection } from './connected.ts';
import { BEDROCK, OPENAI, says } from './scripted-provider.ts';
import { type Answering, type Asked, stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

const request = outbound();
const timing = { wait: async () => undefined, chance: () => 0 };
const workOf = () => ({ address: { organization: 'o', taskId: 't' }, meter: createMeter() });

async function open(answer: (body: Record<string, unknown>) => Answering, known: number | OwnProfiles[string]) {
  const server = await stubServer((response, asked: Asked) => answer(asked.body)(response, asked));
  close = server.close;
  const openai = openAiCompatible({ baseUrl: `${server.address}/v1`, key: 'k', request });
  const profile = typeof known === 'number' ? { context: known } : known;
  const model = await writtenBy(
    models(byConnection({ openai }), timing, { ownProfiles: { 'openai/m': profile } })('openai/m', workOf()),
  );
  const bodies = () => server.asked.map(({ body }) => JSON.stringify(body));
  return { ask: async (options: LanguageModelV4CallOptions) => model.doGenerate(options), bodies };
}

/** A loop that has read `pages` pages of some 2,500 tokens each. */
const conversation = (pages: number): LanguageModelV4CallOptions => ({
  prompt: [
    { role: 'system', content: 'Work.' },
    { role: 'user', content: [{ type: 'text', text: 'Compare all pages.' }] },
    ...Array.from(
      { length: pages },
      (_, page): LanguageModelV4Prompt => [
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: `c${page}`, toolName: 'read_file', input: { page } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: `c${page}`,
              toolName: 'read_file',
              output: { type: 'text', value: `start of page ${page} ${'word '.repeat(2_000)} end of page ${page}` },
            },
          ],
        },
      ],
    ).flat(),
  ],
});

const endsIn = (body = ''): number[] => [...body.matchAll(/end of page (\d+)/g)].map(([, page]) => Number(page));
const startsIn = (body = ''): number[] => [...body.matchAll(/start of page (\d+)/g)].map(([, page]) => Number(page));
const ALL = [0, 1, 2, 3, 4, 5];

describe('tool results', () => {
  it('stay complete when the request fits', async () => {
    const { ask, bodies } = await open(() => OPENAI.stream(...says('Done.')), 32_000);
    await ask(conversation(6));
    expect(endsIn(bodies()[0])).toEqual(ALL);
  });

  it('are cut to their beginning, the oldest first, until request and answer fit', async () => {
    const { ask, bodies } = await open(() => OPENAI.stream(...says('Done.')), 14_000);
    await ask({ ...conversation(6), maxOutputTokens: 3_000 });
    expect(startsIn(bodies()[0])).toEqual(ALL);
    expect(endsIn(bodies()[0])).toEqual([2, 3, 4, 5]);
  });

  it('are not cut if they are the newest and the request fits, because the model has not seen them', async () => {
    const { ask, bodies } = await open(() => OPENAI.stream(...says('Done.')), 6_500);
    await ask(conversation(6));
    expect(endsIn(bodies()[0])).toEqual([4, 5]);
  });

  it.each([6_000, 4_000, 2_000])(
    'are all cut, the newest too, if the request does not fit into %i tokens otherwise',
    async (context) => {
      const { ask, bodies } = await open(() => OPENAI.stream(...says('Done.')), context);
      await ask(conversation(6));
      expect(startsIn(bodies()[0])).toEqual(ALL);
      expect((bodies()[0]?.length ?? 0) / 4).toBeLessThan(context);
      expect((bodies()[0]?.length ?? 0) / 4).toBeGreaterThan(context / 2);
    },
  );

  it('are cut if one turn asked for too many of them at once, until the provider accepts the request', async () => {
    const { ask, bodies } = await open(
      (body) => (JSON.stringify(body).length > 50_000 ? OPENAI.tooLong : OPENAI.stream(...says('Done.'))),
      100_000,
    );
    const [system, user, ...turns] = conversation(8).prompt;
    const content = (of: 'assistant' | 'tool') =>
      turns.flatMap((turn) => (turn.role === of ? (turn.content as never[]) : []));
    const prompt = [
      ...(system && user ? [system, user] : []),
      { role: 'assistant' as const, content: content('assistant') },
      { role: 'tool' as const, content: content('tool') },
    ];
    expect((await ask({ prompt })).content).toMatchObject([{ text: 'Done.' }]);
    expect(bodies()).toHaveLength(2);
    expect(startsIn(bodies()[1])).toHaveLength(8);
    expect(bodies()[1]?.match(/for this alone/g)).toHaveLength(8);
  });

  it('leave room for the answer and the reasoning of the model', async () => {
    const profile = { context: 26_000, output: 24_000, reasoning: true };
    const { ask, bodies } = await open(() => OPENAI.stream(...says('Done.')), profile);
    await ask({ ...conversation(6), maxOutputTokens: 3_000 });
    expect(endsIn(bodies()[0])).toEqual([4, 5]);
  });

  it('are cut, and the request is repeated, when the provider rejects its length', async () => {
    const { ask, bodies } = await open(
      (body) => (JSON.stringify(body).length > 40_000 ? OPENAI.tooLong : OPENAI.stream(...says('Done.'))),
      100_000,
    );
    const { content } = await ask(conversation(6));
    expect(content).toMatchObject([{ text: 'Done.' }]);
    expect(bodies()).toHaveLength(2);
    expect(endsIn(bodies()[1])).toEqual([4, 5]);
  });

  it('are cut only once, then the task fails with the reason', async () => {
    const { ask, bodies } = await open(() => OPENAI.tooLong, 100_000);
    await expect(ask(conversation(6))).rejects.toMatchObject({
      code: 'PROCESSING_FAILED',
      message: 'The request is longer than the model openai/m accepts; make the task smaller or name another model.',
    });
    expect(bodies()).toHaveLength(2);
  });
});

type Block = { cachePoint?: object; cache_control?: object };
type CachedBody = { system: Block[]; messages: { content: Block[] }[] };

it.each([
  { wire: BEDROCK, name: 'eu.amazon.nova-lite-v1:0', marks: 2 },
  { wire: BEDROCK, name: 'meta.llama3-1-70b-instruct-v1:0', marks: 0 },
  { wire: ANTHROPIC, name: 'claude-sonnet-4-5', marks: 2 },
])("marks the parts that the next call repeats for a provider's cache: $name", async ({ wire, name, marks }) => {
  const server = await stubServer(wire.stream(...says('Done.')));
  close = server.close;
  const connection = wire.connection(server.address, 'k');
  const model = await writtenBy(
    models(throughConnection(connection), timing)(`${connection.provider}/${name}`, workOf()),
  );
  const inputSchema = { type: 'object', properties: {} } as const;
  await model.doGenerate({ ...conversation(1), tools: [{ type: 'function', name: 'read_file', inputSchema }] });
  const { system, messages } = (server.asked[0]?.body ?? {}) as CachedBody;
  const isMarked = (block: Block) => 'cachePoint' in block || 'cache_control' in block;
  const blocks = [...system, ...messages.flatMap(({ content }) => content)];
  expect(blocks.filter(isMarked)).toHaveLength(marks);
  expect(system.some(isMarked)).toBe(marks > 0);
  expect(isMarked(messages.at(-1)?.content.at(-1) ?? {})).toBe(marks > 0);
});

it('omits the last pictures of a request that has no room for them', async () => {
  const at = await open(() => OPENAI.stream(...says('Done.')), 13_000);
  const picture = (byte: number) => ({
    type: 'file' as const,
    mediaType: 'image/png',
    data: { type: 'data' as const, data: new Uint8Array([byte]) },
  });
  const content = [{ type: 'text' as const, text: 'word '.repeat(8_000) }, ...[1, 2, 3, 4, 5].map(picture)];
  await at.ask({ prompt: [{ role: 'user', content }] });
  // The text is about 10,000 tokens, and a picture about 1,000.
  expect(at.bodies()[0]?.match(/data:image\/png;base64,\w+=*/g)).toEqual(
    [1, 2].map((byte) => `data:image/png;base64,${Buffer.from([byte]).toString('base64')}`),
  );
  expect(at.bodies()[0]?.match(/no room for it/g)).toHaveLength(3);
});
