/** Instructions to the model: a real one by its protocol, answered by a server of the test's own, and the offline one. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { models } from '../../../engines/models/models.ts';
import { openAiCompatible } from '../../../engines/models/openai-compatible.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { createMeter } from '../../../shared/usage/meter.ts';
import { NO_TOKENS } from '../../../shared/usage/tokens.ts';
import { slideWithWhiteText, workbookWithHiddenSheet } from '../../engines/documents/file-builders.ts';
import { byConnection } from '../../engines/models/by-connection.ts';
import { type Answering, json, type StubServer, stubServer } from '../../engines/models/stub-server.ts';
import { openProcessing, sampleBytes } from './setup.ts';

const says = (content: string) => ({
  id: 'x',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 120, completion_tokens: 30, total_tokens: 150 },
});
const finds = (...findings: object[]) => json(says(JSON.stringify({ findings })));

/** As the second look, supports one value, and says of all other statements that they are not stated. */
const supports =
  (value: string): Answering =>
  (response, asked) => {
    const { messages } = asked.body as { messages: { content: unknown }[] };
    const lines = messages.flatMap(({ content }) => (typeof content === 'string' ? content.split('\n') : []));
    const statements = lines.filter((line) => line.startsWith('{"number"')).map((line) => JSON.parse(line));
    const verdicts = statements.map((one: { number: number; value?: string }) => ({
      number: one.number,
      verdict: one.value === value ? 'supported' : 'not_stated',
    }));
    json(says(JSON.stringify({ verdicts })))(response, asked);
  };

const RENT = 'How high is the yearly rent?';
const LEAVE = 'Who may leave early?';

describe('a model', () => {
  let server: StubServer;
  let at: ReturnType<typeof openProcessing>;
  beforeEach(async () => {
    server = await stubServer(finds());
    const provider = openAiCompatible({ baseUrl: `${server.address}/v1`, key: 'k', request: outbound() });
    const model = await models(byConnection({ openai: provider }), { wait: async () => undefined, chance: () => 0 })(
      'openai/m',
      {
        address: { organization: 'tests', taskId: 't' },
        meter: createMeter(),
      },
    );
    at = openProcessing(model);
  });
  afterEach(async () => {
    await at.close();
    await server.close();
  });
  const lease = () => at.serve('lease.docx', sampleBytes('lease-contract.libreoffice.docx'));

  it('is asked for all instructions at once, and held to the words of the document', async () => {
    server.answerNext(
      finds(
        { instruction: 1, value: '£84,600', excerpt: 'The  yearly rent is\n£84,600' },
        { instruction: 2, value: 'Nobody', excerpt: 'this stands nowhere' },
        { instruction: 9, value: 'for no instruction', excerpt: 'x' },
      ),
    );
    const { results, usage, report } = await at.run({
      documents: [lease()],
      extraction_rules: [RENT, 'emails', LEAVE],
    });
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]?.body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: { required: ['findings'], additionalProperties: false } },
    });
    expect(JSON.stringify(server.asked[0]?.body)).toContain(`1. ${RENT}\\n2. ${LEAVE}`);
    const [document] = results.documents;
    const answers = (document && 'values' in document ? document.values : []).filter(({ rule }) => rule !== 'emails');
    expect(answers).toEqual([
      {
        rule: RENT,
        value: '£84,600',
        text: '£84,600',
        place: expect.stringContaining('Rent'),
        excerpt: 'The yearly rent is £84,600',
        verified: true,
      },
      { rule: LEAVE, value: 'Nobody', text: 'Nobody', place: null, excerpt: null, verified: false },
    ]);
    expect(usage).toEqual({ ...NO_TOKENS, model: 'openai/m', inputTokens: 120, outputTokens: 30 });
    expect(report).toMatchObject({ queries: 1, stages: ['reading', 'asking', 'writing'] });
    expect(report.confidence?.sourceReliability).toBe(0.75);
  });

  it.each([
    { file: 'fees.xlsx', bytes: workbookWithHiddenSheet(), between: ' | ', seen: 'sheet A', unseen: 'sheet B' },
    { file: 'fees.pptx', bytes: slideWithWhiteText(), between: ': ', seen: 'slide 1', unseen: 'slide 1' },
  ])('is shown hidden text of $file as such, and cannot prove anything by it', async (asked) => {
    const fee = 'How high is the fee?';
    server.answerNext(
      finds(
        { instruction: 1, value: '900 euros', excerpt: `fee of the harbour${asked.between}900 euros` },
        { instruction: 1, value: '3 euros', excerpt: `fee of the harbour${asked.between}3 euros` },
      ),
    );
    const documents = [at.serve(asked.file, asked.bytes)];
    const { results } = await at.run({ documents, extraction_rules: [fee] });
    expect(JSON.stringify(server.asked[0]?.body)).toContain(`[${asked.unseen} (hidden)]`);
    const [document] = results.documents;
    expect(document && 'values' in document ? document.values : []).toMatchObject([
      { value: '900 euros', place: null, verified: false },
      { value: '3 euros', place: asked.seen, verified: true },
    ]);
  });

  const TERMS = 'A deposit of £18,000 is due.\nEither party may end the lease at six months of notice.\nPets: no';
  const NOTICE = 'Either party may end the lease at six months of notice.';

  async function termsOf(findings: object[], ...more: Answering[]) {
    server.answerNext(finds(...findings), ...more);
    const asks = {
      documents: [at.serve('terms.txt', TERMS)],
      extraction_rules: ['How high is the deposit?', 'Notice?'],
    };
    const { results, report } = await at.run(asks);
    return { report, values: results.documents.flatMap((one) => ('values' in one ? one.values : [])) };
  }

  it('does not have a figure verified by an excerpt with another one, and is not asked about it', async () => {
    const { values } = await termsOf([{ instruction: 1, value: '£20,000', excerpt: 'deposit of £18,000' }]);
    expect(values).toMatchObject([{ value: '£20,000', excerpt: 'deposit of £18,000', verified: false }]);
    expect(server.asked).toHaveLength(1);
  });

  it('looks again in one call at all values that do not stand in their excerpts, without its own prompt', async () => {
    const { values, report } = await termsOf(
      [
        { instruction: 1, value: '£18,000', excerpt: 'A deposit of £18,000 is due.' },
        { instruction: 2, value: 'half a year', excerpt: NOTICE },
        { instruction: 2, value: 'two weeks', excerpt: NOTICE },
      ],
      supports('half a year'),
    );
    expect(values.map(({ value, verified }) => [value, verified])).toEqual([
      ['£18,000', true],
      ['half a year', true],
      ['two weeks', false],
    ]);
    expect(server.asked).toHaveLength(2);
    expect(report.queries).toBe(2);
    const shown = JSON.stringify(server.asked[1]?.body);
    expect(shown).toContain('Notice?');
    expect(shown).not.toContain('How high is the deposit?');
    expect(shown).not.toContain('Instructions:');
  });

  it('looks again at the line of a value whose excerpt stands nowhere', async () => {
    const wanted = { instruction: 2, value: 'six months', excerpt: 'this stands nowhere' };
    const supported = await termsOf([wanted], supports('six months'));
    expect(supported.values).toMatchObject([{ value: 'six months', excerpt: NOTICE, verified: true }]);
    const refused = await termsOf([{ ...wanted, value: 'no' }], supports('nothing'));
    expect(refused.values).toMatchObject([{ value: 'no', verified: false }]);
  });

  it('has not verified what a second look without a usable answer left open', async () => {
    const poem = json(says('I would rather write a poem.'));
    const { values } = await termsOf([{ instruction: 2, value: 'half a year', excerpt: NOTICE }], poem, poem);
    expect(values).toMatchObject([{ value: 'half a year', excerpt: NOTICE, verified: false }]);
  });

  it('is asked for the seller like for anything else that no rule finds, and its answers are values', async () => {
    server.answerNext(finds({ instruction: 1, value: 'Acme Ltd', excerpt: 'Acme Ltd' }));
    const { results } = await at.run({
      documents: [at.serve('bill.txt', 'Acme Ltd\nTotal: 12.00')],
      extraction_rules: ['seller'],
    });
    expect(results.rules).toEqual([{ rule: 'seller', kind: 'instruction', found: 1 }]);
    expect(results.merged).toEqual([{ rule: 'seller', value: 'Acme Ltd', occurrences: 1, documents: [1] }]);
  });

  it('that answers with no JSON leaves its share of the work undone', async () => {
    const poem = json(says('I would rather write a poem.'));
    server.answerNext(poem, poem);
    const { results, report } = await at.run({ documents: [lease()], extraction_rules: ['emails', RENT] });
    expect(results.rules).toContainEqual({ rule: RENT, kind: 'instruction', found: 0 });
    expect(report.confidence?.analysisCompleteness).toBe(0.5);
    expect(report.warnings).toEqual([
      'The model gave no usable answer to 1 question, also when asked again: that part was done without it.',
    ]);
    expect(server.asked).toHaveLength(2);
  });

  it('that is out of order fails the task, and what was read before is kept', async () => {
    const fault = json({ error: { message: 'oops' } }, 500);
    server.answerNext(fault, fault, fault, fault);
    const asks = { documents: [lease()], extraction_rules: ['emails', RENT] };
    await expect(at.run(asks)).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', mayPass: true });
    const { results } = await at.run(asks, { most: 1 });
    expect(results.rules).toContainEqual({ rule: 'emails', kind: 'named', found: 2 });
  });

  it('is shown a long document in stretches, and no more of it than eight', async () => {
    const line = 'Nothing of note happened on this day either.\n';
    const documents = [at.serve('long.txt', line.repeat(9_500))];
    const { report } = await at.run({ documents, extraction_rules: [RENT] });
    expect(server.asked).toHaveLength(8);
    expect(report.queries).toBe(8);
    expect(report.confidence?.analysisCompleteness).toBeGreaterThan(0.6);
    expect(report.confidence?.analysisCompleteness).toBeLessThan(0.9);
  });

  it('that gives no usable answer to one stretch leaves only that part undone', async () => {
    const poem = json(says('I would rather write a poem.'));
    server.answerNext(poem, poem);
    const documents = [at.serve('long.txt', 'Nothing of note happened on this day either.\n'.repeat(1_700))];
    const { report } = await at.run({ documents, extraction_rules: [RENT] });
    expect(report.queries).toBe(3);
    expect(report.confidence?.analysisCompleteness).toBeGreaterThan(0.2);
    expect(report.confidence?.analysisCompleteness).toBeLessThan(0.8);
  });

  it('is asked nothing about documents that could not be read', async () => {
    const documents = [at.serve('a.pdf', 'failed'), lease()];
    await at.run({ documents, extraction_rules: [RENT] });
    expect(server.asked).toHaveLength(1);
  });
});

describe('without a language model', () => {
  it('shows passages of the document and says that they are passages', async () => {
    const at = openProcessing();
    const documents = [at.serve('lease.docx', sampleBytes('lease-contract.libreoffice.docx'))];
    const { results, usage, report } = await at.run({ documents, extraction_rules: [RENT] });
    const [document] = results.documents;
    const values = document && 'values' in document ? document.values : [];
    expect(values).toHaveLength(3);
    expect(values.every(({ rule, is_passage }) => rule === RENT && is_passage === true)).toBe(true);
    expect(values.map(({ excerpt }) => excerpt).join('\n')).toContain('£84,600');
    expect(usage).toEqual({ ...NO_TOKENS, model: 'offline/extractive', inputTokens: 0, outputTokens: 0 });
    expect(report.queries).toBe(0);
    await at.close();
  });

  it.each(['seller', 'parties', 'contract_parties', RENT])('says that it did not look for %j', async (rule) => {
    const at = openProcessing();
    const { results, report } = await at.run({
      documents: [at.serve('bill.txt', 'Seller: Acme Ltd\nTotal: 12.00')],
      extraction_rules: ['total', rule],
    });
    expect(results.rules).toEqual([
      { rule: 'total', kind: 'named', found: 1 },
      { rule, kind: 'instruction', found: expect.any(Number), not_looked_for: true },
    ]);
    const values = results.documents.flatMap((one) => ('values' in one ? one.values : []));
    expect(values.filter((one) => one.rule === rule).every((one) => one.is_passage === true)).toBe(true);
    expect(report.confidence?.analysisCompleteness).toBe(0.5);
    await at.close();
  });

  it.each([
    ['fees.xlsx', workbookWithHiddenSheet()],
    ['fees.pptx', slideWithWhiteText()],
  ])('quotes nothing of %s that a person does not see', async (file, bytes) => {
    const at = openProcessing();
    const documents = [at.serve(file, bytes)];
    const { results } = await at.run({ documents, extraction_rules: ['How high is the fee of the harbour?', 'urls'] });
    expect(JSON.stringify(results)).toContain('3 euros');
    expect(JSON.stringify(results)).not.toMatch(/900 euros|evil/);
    await at.close();
  });
});
