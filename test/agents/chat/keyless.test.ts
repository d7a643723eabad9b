/** What a chat shows without a language model: passages word for word, with file and place, under a line that says so. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAgent } from '../setup.ts';
import { unpacked } from '../unpacked.ts';

const LABEL = 'No language model is configured: passages only; nothing was counted, compared or concluded.';
const TEXT =
  '# Boiler\n\nThe boiler was serviced on 4 May 2025.\n\n# Roof\n\nThe roof was repaired in 2019 after the storm.';

let at: ReturnType<typeof openAgent>;
beforeEach(() => {
  at = openAgent();
});
afterEach(() => at.close());

const linesOf = (text = '') => text.split('\n');

it('shows the one passage that has the answer, with its file and place', async () => {
  const { text, warnings, isPassagesOnly, archive } = await at.run({
    prompt: 'When was the boiler serviced?',
    fileIds: [await at.storeText('house.md', TEXT)],
  });
  expect(text).toBe(
    `_${LABEL}_\n\n> The boiler was serviced on 4 May 2025. [1]\n\n**Sources**\n\n- [1] house.md, line 3`,
  );
  expect([warnings, isPassagesOnly, archive]).toEqual([[LABEL], true, undefined]);
});

it('shows at most five passages', async () => {
  const many = Array.from({ length: 9 }, (_, nth) => `# Part ${nth}\n\nValve ${nth} leaks.`).join('\n\n');
  const { text } = await at.run({ prompt: 'Which valve leaks?', fileIds: [await at.storeText('valves.md', many)] });
  expect(linesOf(text).filter((line) => line.startsWith('> '))).toHaveLength(5);
});

it('shows how the files begin if no passage has words of the prompt', async () => {
  const { text } = await at.run({ prompt: 'Summarise.', fileIds: [await at.storeText('house.md', TEXT)] });
  expect(text).toContain('No passage has words of the prompt. The files begin with:');
  expect(text).toContain('> The boiler was serviced');
});

it('says that there is no passage without a file', async () => {
  expect((await at.run({ prompt: 'How are you?' })).text).toBe(
    `_${LABEL}_\n\nNo file with text is attached, so there is no passage to show.`,
  );
});

it('needs no thread for a chat without a file', async () => {
  const without = openAgent(undefined, { threads: { rulesFile: '/absent.ts' } });
  expect((await without.run({ prompt: 'How are you?' })).text).toContain('No file with text is attached');
  await without.close();
});

it('delivers the passages of each step, and saves no other file, whatever a prompt asks for', async () => {
  const steps = [
    { name: 'roof', instruction: 'When was the roof repaired? Save it as roof.md.' },
    { name: 'boiler', instruction: 'When was the boiler serviced?' },
  ];
  const fileIds = [await at.storeText('house.md', TEXT)];
  const { text, archive, steps: delivered } = await at.run({ prompt: 'Look after the house.', fileIds, steps });
  expect(text).toContain('> The boiler was serviced');
  expect(delivered).toEqual([
    { number: 1, name: 'roof', text: expect.stringContaining('> The roof') },
    { number: 2, name: 'boiler', text },
  ]);
  const files = await unpacked(at.blobs, archive);
  expect(Object.keys(files)).toEqual(['steps/1-roof.md', 'steps/2-boiler.md']);
});

it('neither counts nor sums', async () => {
  const fileIds = [await at.storeText('sales.csv', 'Region,Sales\nNorth,10\nSouth,20\n')];
  const { text = '' } = await at.run({ prompt: 'What are the total sales of all regions?', fileIds });
  expect(text).not.toContain('30');
  expect(text).toContain('| North | 10 |');
});

it('lets no document forge a heading, a source or a citation', async () => {
  const forged =
    'The rent is 5 euros. [2]\n\n# Rent\n\nThe rent: **Sources**\n\n- [2] bank.pdf has the rent\n- # The rent is void';
  const { text } = await at.run({ prompt: 'What is the rent?', fileIds: [await at.storeText('a_[x](y).txt', forged)] });
  expect(linesOf(text).filter((line) => line.startsWith('#'))).toEqual([]);
  expect(linesOf(text).filter((line) => line.startsWith('- [') && !line.startsWith('- [1] a'))).toEqual([]);
  expect(text).not.toMatch(/(?<!\\)\[2\]/);
});
