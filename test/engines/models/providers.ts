/** The contract of model providers, for every protocol. */

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { generateText, isStepCount, tool } from 'ai';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runModelLoop } from '../../../agents/chat/model-loop.ts';
import type { Workspace } from '../../../agents/chat/workspace.ts';
import { models } from '../../../engines/models/models.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { sample } from '../documents/samples.ts';
import { writers } from '../reports/setup.ts';
import { throughConnection } from './connected.ts';
import { calls, says, type Wire } from './scripted-provider.ts';
import { AWAY, CUT, LASTING, OWN_FAULT, RATE_LIMIT, type StubServer, stubServer } from './stub-server.ts';
import { writtenBy } from './written-by.ts';

/** The images of a request in the protocol, in its last message from the user. */
type PicturesIn = (body: Record<string, unknown>) => { type: string; base64: string }[];

const ID = 'provider/model';

export function providerSuite(wire: Wire, picturesIn: PicturesIn): void {
  describe(wire.name, () => {
    let server: StubServer;
    let waits: number[];
    beforeEach(async () => {
      server = await stubServer(wire.stream(...says('It is due in March.')));
      waits = [];
    });
    afterEach(() => server.close());

    const patience = {
      wait: async (ms: number) => {
        waits.push(ms);
      },
      chance: () => 0.5,
    };
    const modelHere = () =>
      writtenBy(
        models(throughConnection(wire.connection(server.address, 'sk-inner')), patience)(ID, {
          address: { organization: 'tests', taskId: 't' },
          meter: createMeter(),
        }),
      );
    const ask = async (more: object = {}) =>
      generateText({
        model: await modelHere(),
        prompt: 'When is it due?',
        maxRetries: 0,
        ...more,
      });

    it('returns the text and the tokens', async () => {
      const { text, totalUsage } = await ask();
      expect(text).toBe('It is due in March.');
      expect([totalUsage.inputTokens, totalUsage.outputTokens]).toEqual([12, 5]);
    });

    it('calls tools and receives their results', async () => {
      server.answerNext(wire.stream(...calls('look', { at: 'page 2' })));
      const look = tool({
        inputSchema: toStandardJsonSchema(v.object({ at: v.string() })),
        execute: async ({ at }) => `seen ${at}`,
      });
      const { text } = await ask({ tools: { look }, stopWhen: isStepCount(3) });
      expect(text).toBe('It is due in March.');
      expect(JSON.stringify(server.asked[1]?.body)).toContain('seen page 2');
    });

    it.each([
      ['receipt.pillow.png', 'png'],
      ['meter-reading.pillow.jpg', 'jpeg'],
      ['notice.pillow.gif', 'gif'],
      ['notice.pillow.webp', 'webp'],
    ])('receives %s with the request, byte for byte, and only its number after a tool', async (file, type) => {
      server.answerNext(wire.stream(...calls('query_table', {})));
      const bytes = sample(file).bytes();
      const picture = { mimeType: `image/${type}` as 'image/png', bytes };
      const desk: Workspace = {
        files: [
          { name: 'a.txt', kind: 'text', pages: [] },
          { name: file, kind: 'image', pages: [], pictures: [picture] },
        ],
        rulesets: [],
        saved: new Map(),
        toolResults: [],
        written: new Map(),
        ...writers,
        query: async () => ({ tables: [] }),
        search: async () => [],
        now: () => 0,
      };
      const model = await modelHere();
      await runModelLoop({ model, workspace: desk, request: 'What is it?', signal: new AbortController().signal });
      expect(server.asked).toHaveLength(2);
      const shown = [{ type, base64: bytes.toString('base64') }];
      expect(server.asked.map(({ body }) => picturesIn(body))).toEqual([shown, []]);
      for (const { body } of server.asked) expect(JSON.stringify(body)).toContain('Picture of file 2:');
    });

    it.each(Object.entries(AWAY))('repeats a call once, after a second, for %s', async (_name, { answer }) => {
      server.answerNext(answer);
      expect((await ask()).text).toBe('It is due in March.');
      expect(server.asked).toHaveLength(2);
      expect(waits).toEqual([1_000]);
    });

    it.each(Object.entries(AWAY))('lets the task wait for %s that lasts', async (_name, { answer, reason }) => {
      server.answerNext(answer, answer);
      const failure = await ask().catch((error) => error);
      expect(failure).toMatchObject({ code: 'MODEL_UNAVAILABLE', wait: { waitsFor: `${ID}: ${reason}` } });
      expect(failure.message).not.toContain('undefined');
      expect(server.asked).toHaveLength(2);
    });

    it('does not repeat a call in its place when the provider asks for a longer wait', async () => {
      server.answerNext(RATE_LIMIT);
      const failure = await ask().catch((error) => error);
      expect(failure).toMatchObject({ code: 'MODEL_UNAVAILABLE', wait: { waitsFor: `${ID}: 429` } });
      expect(server.asked).toHaveLength(1);
      expect(waits).toEqual([]);
    });

    it('gives up after four attempts, with our own code and no internal detail', async () => {
      server.answerNext(...Array.from({ length: 4 }, () => OWN_FAULT));
      const failure = await ask().catch((error) => error);
      expect(failure).toMatchObject({ code: 'MODEL_UNAVAILABLE', mayPass: true, wait: undefined });
      expect(failure.message).toBe(`The model ${ID} answered with status 500; submit the task again later.`);
      expect(server.asked).toHaveLength(4);
    });

    it.each(Object.entries(CUT))(
      'fails the attempt after four tries of %s, and lets no other call wait',
      async (_name, cut) => {
        server.answerNext(cut, cut, cut, cut);
        const failure = await ask().catch((error) => error);
        expect(failure).toMatchObject({ code: 'MODEL_UNAVAILABLE', mayPass: true, wait: undefined });
        expect(failure.message).toBe(`The model ${ID} cut the connection; submit the task again later.`);
        expect(server.asked).toHaveLength(4);
      },
    );

    it.each(Object.entries(LASTING))('says at once what to do about %s', async (_name, { answer, says }) => {
      server.answerNext(answer);
      const failure = await ask().catch((error) => error);
      expect(failure).toMatchObject({ code: 'MODEL_UNAVAILABLE', mayPass: false, wait: undefined });
      expect(failure.message).toMatch(says);
      expect(failure.message).not.toContain('sk-inner');
      expect(server.asked).toHaveLength(1);
    });

    it('stops at once when the task is lost', async () => {
      const lost = new AbortController();
      server.answerNext(() => lost.abort('lost'));
      await expect(ask({ abortSignal: lost.signal })).rejects.toBeDefined();
      expect(server.asked).toHaveLength(1);
      expect(waits).toEqual([]);
    });
  });
}
