/** Calls to models, shared by the organizations of one process. */

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect, it } from 'vitest';
import { models } from '../../../engines/models/models.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { scriptedModel } from '../../agents/scripted-model.ts';
import { byConnection } from './by-connection.ts';
import { writtenBy } from './written-by.ts';

const options = (abortSignal = new AbortController().signal): LanguageModelV4CallOptions => ({
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  abortSignal,
});

/** Answers when the test says so, and notes which calls are under way. */
function gateCalls() {
  const begun: string[] = [];
  const open: (() => void)[] = [];
  const { model: answering } = scriptedModel();
  const provider = async (name: string): Promise<LanguageModelV4> => ({
    ...answering,
    provider: 'gated',
    doStream: async (given) => {
      begun.push(name);
      await new Promise<void>((resolve, reject) => {
        open.push(resolve);
        given.abortSignal?.addEventListener('abort', () => reject(given.abortSignal?.reason));
      });
      const { finishReason, usage } = await answering.doGenerate(given);
      return {
        stream: ReadableStream.from([{ type: 'finish', finishReason: { ...finishReason, raw: 'stop' }, usage }]),
      };
    },
  });
  const waits: number[] = [];
  const patience = { wait: async (ms: number) => void waits.push(ms), chance: () => 0 };
  return { begun, open, modelOf: models(byConnection({ gated: provider }), patience) };
}

const workOf = (organization: string) => ({ address: { organization, taskId: 't' }, meter: createMeter() });

it('answers an organization while another is at its limit of concurrent calls', async () => {
  const { begun, open, modelOf } = gateCalls();
  const busy = await writtenBy(modelOf('gated/busy', workOf('a')));
  const control = new AbortController();
  const stuck = Array.from({ length: 150 }, () => busy.doGenerate(options(control.signal)).then(undefined, String));
  await expect.poll(() => begun.length).toBe(100);
  const calling = (await writtenBy(modelOf('gated/next', workOf('b')))).doGenerate(options());
  await expect.poll(() => begun.at(-1)).toBe('next');
  open.at(-1)?.();
  expect((await calling).finishReason.unified).toBe('stop');
  control.abort('cancelled');
  expect(new Set(await Promise.all(stuck))).toEqual(new Set(['cancelled']));
  expect(begun).toHaveLength(101);
});
