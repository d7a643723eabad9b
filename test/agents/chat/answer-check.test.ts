/** What a chat answers about its files is compared with them: cited places, figures, and what a second look says. */
import { afterEach, describe, expect, it } from 'vitest';
import { TaskFailure } from '../../../shared/tasks/task-failure.ts';
import { type Asked, isSecondLook, promptOf, statementsAsked, verdictsOn } from '../scripted-look.ts';
import { scriptedModel } from '../scripted-model.ts';
import { openAgent } from '../setup.ts';

let close: () => Promise<void> = async () => undefined;
afterEach(() => close());

const LEASE = [
  '# Lease',
  'This lease is made between North Quay Ltd and Tern Bakery on 1 April 2030.',
  '## 4. Deposit',
  'On signature the Tenant pays a deposit of £18,000, which is returned at the end.',
  '## 12. Term',
  'The term is five years. It ends on 31 March 2035.',
].join('\n\n');

type Move = Parameters<typeof scriptedModel>[number];

/** A model that answers by its moves, and a second look that knows which sentences are true. */
function lookedAt(truths: readonly string[], ...moves: Move[]) {
  const script = scriptedModel(...moves);
  const looks: ReturnType<typeof statementsAsked>[] = [];
  const at = openAgent({
    ...script.model,
    async doGenerate(options) {
      const prompt = promptOf(options);
      if (!isSecondLook(prompt)) return script.model.doGenerate(options);
      looks.push(statementsAsked(prompt));
      const isOwn = ({ text: said = '', uncited }: Asked) => uncited === true && !said.includes('%');
      const text = verdictsOn(prompt, (asked) => isOwn(asked) || truths.includes(asked.text ?? ''));
      return scriptedModel({ text }).model.doGenerate(options);
    },
  });
  close = at.close;
  return { at, script, looks };
}

/** What the model was asked last, as far as it is words. */
const lastRequest = ({ given }: ReturnType<typeof scriptedModel>): string => {
  const last = given.at(-1);
  return last ? promptOf(last) : '';
};

describe('an answer about files', () => {
  const deposit = 'The deposit is £18,000.';

  it('stands as it is where its places exist and a second look agrees', async () => {
    const answer = 'The deposit is £18,000 [lease.md, section 4].';
    const { at, looks, script } = lookedAt([deposit], { text: answer });
    const fileIds = [await at.storeText('lease.md', LEASE)];
    const { text, warnings } = await at.run({ prompt: 'How much is the deposit?', fileIds });
    expect(text).toBe(answer);
    expect(warnings).toBeUndefined();
    expect(script.given).toHaveLength(1);
    const [{ quotes = [] } = {}] = looks[0]?.filter((statement) => statement.text === deposit) ?? [];
    expect(quotes.map(({ text: quote }) => quote).join('\n')).toContain('a deposit of £18,000');
  });

  it('goes back to the model once, with the sentence and the reason, and is delivered as mended', async () => {
    const mended = 'The deposit is £18,000 [lease.md, section 4].';
    const { at, script } = lookedAt(
      [deposit],
      { text: 'The deposit is £25,000 [lease.md, section 4].' },
      { text: mended },
    );
    const fileIds = [await at.storeText('lease.md', LEASE)];
    const { text, warnings } = await at.run({ prompt: 'How much is the deposit?', fileIds });
    expect(text).toBe(mended);
    expect(warnings).toBeUndefined();
    expect(script.given).toHaveLength(2);
    expect(lastRequest(script)).toContain('"text":"The deposit is £25,000."');
  });

  it('keeps what stays unconfirmed, with a warning that names the sentence', async () => {
    const wrong = { text: 'The deposit is £25,000 [lease.md, section 4].' };
    const { at, script, looks } = lookedAt([], wrong, wrong);
    const fileIds = [await at.storeText('lease.md', LEASE)];
    const { text, warnings } = await at.run({ prompt: 'How much is the deposit?', fileIds });
    // The same sentence with the same evidence is not looked at twice.
    expect(looks).toHaveLength(1);
    expect(text).toBe(wrong.text);
    expect(warnings).toEqual(['Not confirmed by the files, in the answer: “The deposit is £25,000.” (so it is).']);
    expect(script.given).toHaveLength(2);
  });

  it.each([
    ['a file that is not attached', '[old-lease.pdf, page 4]'],
    ['a section that does not exist', '[lease.md, section 19]'],
  ])('does not cite %s, whatever a second look would say', async (_, citation) => {
    const wrong = { text: `The deposit is £18,000 ${citation}.` };
    const { at, looks } = lookedAt([deposit], wrong, wrong);
    const fileIds = [await at.storeText('lease.md', LEASE)];
    const { warnings } = await at.run({ prompt: 'How much is the deposit?', fileIds });
    const why = `there is no such file or place: ${citation.slice(1, -1)}`;
    expect(warnings).toEqual([`Not confirmed by the files, in the answer: “The deposit is £18,000.” (${why}).`]);
    expect(looks).toEqual([]);
  });

  it('may have figures of its own', async () => {
    const answer = 'There are 3 options:\n\n1. Stay until the end.\n2. Ask to leave early.\n3. Find another tenant.';
    const { at, looks, script } = lookedAt([], { text: answer });
    const fileIds = [await at.storeText('lease.md', LEASE)];
    const { text, warnings } = await at.run({ prompt: 'What can the tenant do?', fileIds });
    expect({ text, warnings }).toEqual({ text: answer });
    expect(script.given).toHaveLength(1);
    expect(looks.flat().filter(({ uncited }) => uncited)).toMatchObject([{ text: 'There are 3 options:' }]);
  });

  it('is not looked at without files, and neither are sentences without a figure or a place', async () => {
    const { at, looks } = lookedAt([], { text: 'A lease has 2 parties.' }, { text: 'It is a lease.' });
    await at.run({ prompt: 'What is a lease?' });
    await at.run({ prompt: 'What is it?', fileIds: [await at.storeText('lease.md', LEASE)] });
    expect(looks).toEqual([]);
  });

  it('is not confirmed by a second look that agrees to a figure that stands nowhere and names no words', async () => {
    const said = 'The deposit is £25,000.';
    const wrong = { text: 'The deposit is £25,000 [lease.md, section 4].' };
    const { at } = lookedAt([said], wrong, wrong);
    const fileIds = [await at.storeText('lease.md', LEASE)];
    const { warnings } = await at.run({ prompt: 'How much is the deposit?', fileIds });
    expect(warnings).toMatchObject([expect.stringContaining('25,000 stands at none of the cited places')]);
  });
});

describe('an answer that nobody could look at', () => {
  const answer = { text: 'The deposit is £18,000 [lease.md, section 4].' };

  it('says how many of its sentences were not looked at', async () => {
    // The second look gives no usable answer.
    const deaf = openAgent({
      ...scriptedModel().model,
      async doGenerate(options) {
        return scriptedModel(isSecondLook(promptOf(options)) ? { text: 'No.' } : answer).model.doGenerate(options);
      },
    });
    close = deaf.close;
    const fileIds = [await deaf.storeText('lease.md', LEASE)];
    const { text, warnings } = await deaf.run({ prompt: 'How much is the deposit?', fileIds });
    expect(text).toBe(answer.text);
    expect(warnings).toEqual(['Not looked at a second time: 1 sentence or row with figures or places.']);
  });

  it.each([
    ['with a warning where the second look fails for good', 'PROCESSING_FAILED'],
    ['in part where the budget is used up', 'BUDGET_EXCEEDED'],
  ] as const)('is delivered %s', async (_, code) => {
    const at = openAgent({
      ...scriptedModel().model,
      async doGenerate(options) {
        if (isSecondLook(promptOf(options))) throw new TaskFailure(code, 'No.');
        return scriptedModel(answer).model.doGenerate(options);
      },
    });
    close = at.close;
    const fileIds = [await at.storeText('lease.md', LEASE)];
    const ended = await at.run({ prompt: 'How much is the deposit?', fileIds }).catch((error) => error);
    const whole = { text: answer.text, warnings: [expect.stringContaining('could not be compared')] };
    expect(ended).toMatchObject(code === 'BUDGET_EXCEEDED' ? { code, partial: { text: answer.text } } : whole);
  });
});

describe('a file that is saved with the answer', () => {
  it('is compared as well, and its rows and sentences go back by its name', async () => {
    const table = (share: number) => ({
      call: 'save_table',
      input: {
        name: 'shares.xlsx',
        sheets: [
          {
            name: 'Shares',
            columns: [
              { heading: 'Tenant', type: 'text' },
              { heading: 'Share', type: 'percent' },
            ],
            rows: [['Tern Bakery', share]],
          },
        ],
      },
    });
    const { at, script } = lookedAt(
      ['Tenant: Tern Bakery; Share: 63.3%'],
      table(36.3),
      { text: 'Saved.' },
      table(63.3),
      {
        text: 'Saved again.',
      },
    );
    const fileIds = [await at.storeText('lease.md', `${LEASE}\n\nTern Bakery holds 63.3 % of the area.`)];
    const { text, warnings } = await at.run({ prompt: 'Save the share.', fileIds });
    expect({ text, warnings }).toEqual({ text: 'Saved again.' });
    expect(JSON.stringify(script.given[2]?.prompt)).toContain('Tenant: Tern Bakery; Share: 36.3%');
    expect(JSON.stringify(script.given[2]?.prompt)).toContain('shares.xlsx');
  });

  it('has the sentences of a report as the model wrote them', async () => {
    const report = {
      call: 'save_report',
      input: {
        name: 'lease.pdf',
        title: 'Lease',
        sections: [{ heading: 'Money', paragraphs: ['The deposit is £18,000 [lease.md, section 4].'] }],
      },
    };
    const { at, looks } = lookedAt(['The deposit is £18,000.'], report, { text: 'Saved.' });
    const fileIds = [await at.storeText('lease.md', LEASE)];
    expect((await at.run({ prompt: 'Save a report.', fileIds })).warnings).toBeUndefined();
    expect(looks.flat().map(({ text }) => text)).toContain('The deposit is £18,000.');
  });
});

describe('an answer that is empty or withheld', () => {
  it.each([
    ['empty', { text: ' ' }],
    ['withheld', { text: '', ending: 'content-filter' as const }],
  ])('is asked for once more where it is %s', async (_, first) => {
    const { at, script } = lookedAt([], first, { text: 'Here it is.' });
    expect((await at.run({})).text).toBe('Here it is.');
    expect(script.given).toHaveLength(2);
    expect(lastRequest(script)).toContain('There was no text in your answer');
  });

  it('ends the task where it stays empty', async () => {
    const { at, script } = lookedAt([], { text: '' }, { text: '' });
    await expect(at.run({})).rejects.toMatchObject({ message: expect.stringContaining('returned no answer') });
    expect(script.given).toHaveLength(2);
  });
});
