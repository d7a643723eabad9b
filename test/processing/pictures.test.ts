/** The pictures of poorly read pages, which go along with questions to a model that sees. */
import { afterEach, expect, it } from 'vitest';
import { describeImage } from '../../engines/documents/formats/image-header.ts';
import { runStages } from '../agents/run-stages.ts';
import { scriptedModel } from '../agents/scripted-model.ts';
import { scanOf } from '../documents/file-builders.ts';
import { openProcessing, sampleBytes } from './setup.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

async function picturesShown(sees: boolean): Promise<number[]> {
  const script = scriptedModel({ text: '{"findings": []}' });
  const at = openProcessing(script.model, { sees });
  close = at.close;
  const jpeg = sampleBytes('receipt.scan.jpg');
  const scan = at.serve('scan.pdf', scanOf(jpeg, describeImage(jpeg) ?? { width: 1, height: 1 }, 1));
  await at.run({ documents: [scan], extraction_rules: ['Who sold it?'] }, { modelId: 'openai/m' });
  return script.given.map(
    ({ prompt }) =>
      prompt.flatMap(({ role, content }) =>
        role === 'user' ? content.filter((part) => part.type === 'file' && part.mediaType === 'image/png') : [],
      ).length,
  );
}

it('shows a seeing model the picture of a scanned page exactly once', async () => {
  expect(await picturesShown(true)).toEqual([1]);
});

it('shows no picture to a model that does not see', async () => {
  expect(await picturesShown(false)).toEqual([0]);
});

it.each([true, false])('keeps the picture of a scanned page for a record if the model sees: %s', async (sees) => {
  const at = openProcessing(scriptedModel().model, { sees });
  close = at.close;
  const jpeg = sampleBytes('receipt.scan.jpg');
  const scan = at.serve('scan.pdf', scanOf(jpeg, describeImage(jpeg) ?? { width: 1, height: 1 }, 1));
  const output_schema = { type: 'object', properties: { seller: { type: 'string' } } };
  const [reading] = at.stagesOf({ documents: [scan], output_schema });
  const address = { organization: at.organization, taskId: at.ids.uuid() };
  const work = { address, input: {}, signal: new AbortController().signal, report: () => undefined };
  const { known } = (await runStages(reading ? [reading] : [], work)) as unknown as {
    known: { pictures?: Record<number, string> };
  };
  expect(Object.keys(known.pictures ?? {})).toEqual(sees ? ['1'] : []);
});
