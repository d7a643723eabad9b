/** The pictures of a task: shown to a model that sees, within bounds, and read for every model. */
import { afterEach, describe, expect, it } from 'vitest';
import { PICTURE_LIMITS, pictureTaker } from '../../../agents/chat/workspace.ts';
import { describeImage } from '../../../engines/documents/formats/image-header.ts';
import { visionSupport } from '../../../engines/models/models.ts';
import { pngHead, scanOf } from '../../engines/documents/file-builders.ts';
import { sample } from '../../engines/documents/samples.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openAgent } from '../setup.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(async () => {
  await close();
  close = async () => undefined;
});

function open(...given: Parameters<typeof openAgent>) {
  const at = openAgent(...given);
  close = at.close;
  return at;
}

const PICTURE = 'conference-badge.pillow.png';
type Script = ReturnType<typeof scriptedModel>;
const contentFor = ({ given }: Script, call = 0) =>
  (given[call]?.prompt ?? []).flatMap((message) =>
    message.role === 'user' ? message.content.flatMap((part) => (part.type === 'file' ? [part] : [])) : [],
  );

const look = [{ call: 'read_file', input: { file: 2, page: 1 } }, { text: 'seen' }];
const OUTLINE = /^Outline of the attached files/;
const textsFor = ({ given }: Script, call = 0) =>
  (given[call]?.prompt ?? []).flatMap((message) =>
    message.role === 'user' ? message.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
const outlineFor = (script: Script) => textsFor(script).find((text) => OUTLINE.test(text)) ?? '';

describe('a task with a picture', () => {
  it('shows it to a model that sees, names its file in the outline alone, and has its words to read', async () => {
    const script = scriptedModel(...look);
    const at = open(script.model, { sees: true });
    const fileIds = [await at.storeText('a.txt', 'alpha'), await at.storeSample(PICTURE)];
    await at.run({ prompt: 'Who is it?', fileIds });
    const [picture] = contentFor(script);
    expect(picture).toMatchObject({ mediaType: 'image/png' });
    expect(
      Buffer.from((picture?.data as { data: Uint8Array } | undefined)?.data ?? '').equals(sample(PICTURE).bytes()),
    ).toBe(true);
    expect(textsFor(script)).toContain('Picture of file 2:');
    expect(
      textsFor(script)
        .filter((text) => !OUTLINE.test(text))
        .join(),
    ).not.toContain(PICTURE);
    const listed = outlineFor(script)
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line));
    expect(listed).toMatchObject([{ name: 'a.txt' }, { name: PICTURE, kind: 'image', shown: true }]);
    expect(listed[0]).not.toHaveProperty('shown');
    const [read] = script.answers().map((output) => ('value' in output ? output.value : undefined));
    expect(JSON.stringify(read)).toMatch(/[A-Za-z]{4}/);
    // How sure text recognition is of each word is for code alone.
    expect(JSON.stringify(read)).not.toMatch(/"(?:ocr|unsure|blocks)"/);
  });

  it('shows nothing to a model that does not see, which reads the words in it', async () => {
    const script = scriptedModel(...look);
    const at = open(script.model);
    const fileIds = [await at.storeText('a.txt', 'alpha'), await at.storeSample(PICTURE)];
    await at.run({ fileIds });
    expect(contentFor(script)).toEqual([]);
    expect(JSON.stringify(script.given)).not.toContain('shown":true');
    expect(JSON.stringify(script.answers()[0])).toContain(PICTURE);
  });

  it('shows each step of a workflow the pictures, and a task without a model reads their text', async () => {
    const script = scriptedModel({ text: 'one' }, { text: 'two' });
    const at = open(script.model, { sees: true });
    const steps = ['A', 'B'].map((name) => ({ name, instruction: `Do ${name}.` }));
    await at.run({ fileIds: [await at.storeSample(PICTURE)], steps });
    expect([contentFor(script, 0).length, contentFor(script, 1).length]).toEqual([1, 1]);
    const offline = openAgent();
    const { text } = await offline.run({
      prompt: 'What is the total?',
      fileIds: [await offline.storeSample('receipt.pillow.png')],
    });
    await offline.close();
    expect(text).toContain('receipt.pillow.png');
  });
});

describe('a picture that was shown', () => {
  it('is only named in later calls, and shown once more when the model asks for it', async () => {
    const script = scriptedModel(
      { call: 'calculate', input: { expression: '1 + 1' } },
      { call: 'show_picture', input: { file: 2 } },
      { call: 'show_picture', input: { file: 1 } },
      { text: 'seen' },
    );
    const at = open(script.model, { sees: true });
    await at.run({ fileIds: [await at.storeText('a.txt', 'alpha'), await at.storeSample(PICTURE)] });
    expect([0, 1, 2, 3].map((call) => contentFor(script, call).length)).toEqual([1, 0, 1, 0]);
    expect(script.given[2]?.prompt.at(-1)).toMatchObject({ role: 'user', content: [{}, { type: 'file' }] });
    for (const call of [0, 1, 2, 3]) expect(textsFor(script, call)).toContain('Picture of file 2:');
    expect(textsFor(script, 1).join()).toContain('show_picture shows it again');
    expect(script.answers().slice(1)).toMatchObject([
      { value: { shown: true } },
      { value: { error: 'There is no such picture.' } },
    ]);
  });

  it('has a tool only where there are pictures', async () => {
    const script = scriptedModel({ text: 'read' });
    const at = open(script.model, { sees: true });
    await at.run({ fileIds: [await at.storeText('a.txt', 'alpha')] });
    expect(script.given[0]?.tools?.map(({ name }) => name)).not.toContain('show_picture');
  });
});

/** A scan in bad light, so that OCR is not sure of its text. */
const scan = (): Buffer => {
  const jpeg = sample('receipt.scan.jpg').bytes();
  return scanOf(jpeg, describeImage(jpeg) ?? { width: 1, height: 1 }, 1);
};

describe('a task with a scanned PDF', () => {
  it('shows the picture of its page exactly once, small, beside the text', async () => {
    const script = scriptedModel(
      { call: 'read_file', input: { file: 1, page: 1 } },
      { call: 'calculate', input: { expression: '1 + 1' } },
      { text: 'seen' },
    );
    const at = open(script.model, { sees: true });
    await at.run({ fileIds: [await at.store('scan.pdf', scan())] });
    expect([0, 1, 2].map((call) => contentFor(script, call).length)).toEqual([1, 0, 0]);
    const [picture] = contentFor(script);
    const bytes = Buffer.from((picture?.data as { data: Uint8Array } | undefined)?.data ?? '');
    const { mimeType, width = 0, height = 0 } = describeImage(bytes) ?? {};
    expect(mimeType).toBe('image/png');
    expect(Math.max(width, height)).toBeLessThanOrEqual(1_568);
    expect(Math.min(width, height)).toBeGreaterThan(200);
    expect(bytes.length).toBeLessThan(PICTURE_LIMITS.pictureBytes);
    expect(JSON.stringify(script.given[0]?.prompt)).toContain('Picture of page 1 of file 1:');
    expect(outlineFor(script)).toContain('"shownPages":[1]');
    expect(JSON.stringify(script.answers()[0])).toMatch(/[A-Za-z]{4}/);
  });

  it('shows no picture to a model that does not see, and none of pages with enough text', async () => {
    const blind = scriptedModel({ text: 'read' });
    const at = open(blind.model);
    await at.run({ fileIds: [await at.store('scan.pdf', scan())] });
    await at.close();
    const seeing = scriptedModel({ text: 'read' });
    const other = open(seeing.model, { sees: true });
    await other.run({
      fileIds: [await other.storeSample('invoice.reportlab.pdf'), await other.storeSample('receipt.scan.pdf')],
    });
    expect([contentFor(blind), contentFor(seeing)]).toEqual([[], []]);
  });
});

/** A file of this length whose header declares a picture of this size. */
const pngOf = (length: number, side = 100): Uint8Array =>
  Buffer.concat([pngHead(side, side), Buffer.alloc(length - pngHead(side, side).length)]);

describe('the pictures of one call', () => {
  const { pictures, pictureBytes, allBytes, side } = PICTURE_LIMITS;

  it(`are at most ${pictures}`, () => {
    const take = pictureTaker();
    const taken = Array.from({ length: pictures + 2 }, () => take(pngOf(100)));
    expect(taken.map((one) => one !== undefined)).toEqual([...Array(pictures).fill(true), false, false]);
  });

  it(`are of at most ${pictureBytes} bytes each and ${allBytes} together; a smaller one behind still fits`, () => {
    const take = pictureTaker();
    const lengths = [pictureBytes + 1, pictureBytes, pictureBytes, pictureBytes, allBytes - 2 * pictureBytes, 100];
    expect(lengths.map((length) => take(pngOf(length)) !== undefined)).toEqual([false, true, true, false, true, false]);
  });

  it(`have sides of at most ${side}, and are pictures`, () => {
    const take = pictureTaker();
    expect(take(pngOf(100, side + 1))).toBeUndefined();
    expect(take(Buffer.from('BM'.padEnd(100)))).toBeUndefined();
    expect(take(pngOf(100, side))).toMatchObject({ mimeType: 'image/png' });
  });
});

describe('a model', () => {
  it.each([
    'bedrock/global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    'bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0',
    'bedrock/eu.amazon.nova-lite-v1:0',
    'openai/gpt-4o-mini',
    'openai/llama3.2-vision:11b',
    'openai/gemma3:12b',
    'openai/Qwen/Qwen2.5-VL-7B-Instruct',
  ])('is known to see: %s', (id) => expect(visionSupport(undefined)(id)).toBe(true));

  it.each([
    'bedrock/eu.amazon.nova-micro-v1:0',
    'bedrock/anthropic.claude-3-5-haiku-20241022-v1:0',
    'openai/llama3.2',
    'openai/gemma3:1b',
    'openai/gpt-oss:20b',
    'offline/extractive',
    'constructor/x',
  ])('is not known to see: %s', (id) => expect(visionSupport(undefined)(id)).toBe(false));

  it('sees when the operator lists it, and then no other', () => {
    const sees = visionSupport(['openai/ours', 'offline/extractive']);
    expect(['openai/ours', 'openai/gpt-4o', 'offline/extractive'].map(sees)).toEqual([true, false, false]);
  });
});

describe('a record of files with pictures', () => {
  const outputSchema = { type: 'object', properties: { harbour_master: { type: 'string' } } };

  it('is asked of a model that sees with the pictures of one file at a time, and names no file', async () => {
    const script = scriptedModel(...Array.from({ length: 6 }, () => ({ text: '{"fields": []}' })));
    const at = open(script.model, { sees: true });
    const fileIds = [
      await at.storeSample(PICTURE),
      await at.store('scan.pdf', scan()),
      await at.storeText('a.txt', 'a'),
    ];
    await at.run({ fileIds, outputSchema });
    const names = script.given.map(({ prompt }) => JSON.stringify(prompt).match(/Picture of [^"]*:/g));
    expect(names).toEqual([['Picture of the document:'], ['Picture of page 1:'], null]);
    expect(script.given.map((_, call) => contentFor(script, call).length)).toEqual([1, 1, 0]);
  });

  it('is asked of a model that does not see without them', async () => {
    const script = scriptedModel(...Array.from({ length: 6 }, () => ({ text: '{"fields": []}' })));
    const at = open(script.model);
    await at.run({ fileIds: [await at.storeSample(PICTURE)], outputSchema });
    expect(contentFor(script)).toEqual([]);
  });
});
