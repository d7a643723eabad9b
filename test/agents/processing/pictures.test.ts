/** The pictures of poorly read pages, which go along with questions to a model that sees. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { afterEach, expect, it } from 'vitest';
import { describeImage } from '../../../engines/documents/formats/image-header.ts';
import { scanOf } from '../../engines/documents/file-builders.ts';
import { onlyModel, runStages } from '../run-stages.ts';
import { agreesToFields, isSecondLook, promptOf, verdictsOn } from '../scripted-look.ts';
import { scriptedModel } from '../scripted-model.ts';
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

/** Fields of a receipt: what the model sees in its picture alone, and what stands in its text. */
const SEEN = { path: 'colour', value: 'teal stripes' };
const READ = { path: 'payment', value: 'by card', quote: 'Paid by card ending 8812' };

/** The pictures that each model was shown in its second looks, and the record. */
async function lookedBy(verifierAcceptsImages: boolean) {
  const pictures: Record<string, number[]> = {};
  const asked: Record<string, string> = {};
  const modelNamed = (id: string): LanguageModelV4 => ({
    ...scriptedModel().model,
    async doGenerate(options) {
      const prompt = promptOf(options);
      const isLook = isSecondLook(prompt);
      const shown = options.prompt.flatMap(({ content }) =>
        typeof content === 'string' ? [] : content.filter(({ type }) => type === 'file'),
      ).length;
      if (isLook) pictures[id] = [...(pictures[id] ?? []), shown];
      if (isLook) asked[id] = (asked[id] ?? '') + prompt;
      const text = isLook
        ? verdictsOn(prompt, agreesToFields([SEEN, READ]))
        : JSON.stringify({ fields: [SEEN, READ], lists: [] });
      return scriptedModel({ text }).model.doGenerate(options);
    },
  });
  const at = openProcessing(scriptedModel().model, {
    sees: (id) => verifierAcceptsImages || id === 'openai/m',
    modelOf: (id, ...rest) => onlyModel(modelNamed(id))(id, ...rest),
  });
  close = at.close;
  const jpeg = sampleBytes('receipt.scan.jpg');
  const scan = at.serve('scan.pdf', scanOf(jpeg, describeImage(jpeg) ?? { width: 1, height: 1 }, 1));
  const TEXT = { type: 'string' };
  const output_schema = { type: 'object', properties: { colour: TEXT, payment: TEXT } };
  const { results } = await at.run(
    { documents: [scan], output_schema },
    { modelId: 'openai/m', verifyModel: 'openai/v' },
  );
  return { pictures, asked, record: results.records?.[0] };
}

it('shows pictures to a verifier that sees', async () => {
  const { pictures, record } = await lookedBy(true);
  expect(pictures).toEqual({ 'openai/v': [1] });
  expect(record?.fields.map(({ basis }) => basis[0]?.looked_by)).toContain('verify_model');
});

it('sends a verifier that does not see no picture, and asks the model itself about what has no quote', async () => {
  const { pictures, asked, record } = await lookedBy(false);
  expect(pictures).toEqual({ 'openai/v': [0], 'openai/m': [1] });
  expect(asked['openai/v']).not.toContain('"value":"teal stripes"');
  expect(asked['openai/m']).not.toContain('"value":"by card"');
  expect(record?.data).toEqual({ colour: 'teal stripes', payment: 'by card' });
  expect(record?.fields.flatMap(({ basis }) => basis.flatMap((one) => one.looked_by ?? []))).not.toContain(
    'verify_model',
  );
});
