/** A research whose budget is used up, or whose model fails, in any of its rounds and sections ends with what it had paid for. */

import { APICallError, type LanguageModelV4 } from '@ai-sdk/provider';
import { beforeEach, expect, it } from 'vitest';
import { earlierResearch } from '../../../agents/research/previous-research.ts';
import { researchAgent } from '../../../agents/research/research-agent.ts';
import { readerFilesFromCheckout } from '../../../engines/assets/checkout-files.ts';
import { openDocuments } from '../../../engines/documents/documents.ts';
import { withRetries } from '../../../engines/models/call-limits.ts';
import { withMetering } from '../../../engines/models/metering.ts';
import { openGates } from '../../../engines/models/model-gates.ts';
import { BrokenStream, withGenerate } from '../../../engines/models/streaming.ts';
import type { OpenPage } from '../../../engines/sources/open-page.ts';
import type { SearchHit } from '../../../engines/sources/search-presets.ts';
import { organizationDraft } from '../../../shared/accounts/organizations.ts';
import type { Any } from '../../support/any.ts';
import { endings } from '../endings.ts';
import { note, notesOf, roleModel, sectionsOf, sentence } from './role-model.ts';

const PAGES: Record<string, string> = {
  'Eastmere lighthouse': 'The architect of the Eastmere lighthouse was Ilka Vandrey, the council said in 1921.',
  'Ilka Vandrey': 'Ilka Vandrey was born in 1871 in a house at the harbour, as her letters say.',
};
const QUERY = 'In which year was the architect of the Eastmere lighthouse born?';
const TOKENS_OF_CALL = 20_000;

const documents = openDocuments(readerFilesFromCheckout());
const urlOf = (title: string) => `https://${title.split(' ')[0]?.toLowerCase()}.errand-tests.org/`;
const openPage: OpenPage = async (url) => {
  const [title = '', text = ''] = Object.entries(PAGES).find(([title]) => urlOf(title) === url) ?? [];
  return { url, title, text, fetchedAt: 0 };
};
const hitsFor = (query: string): SearchHit[] =>
  Object.keys(PAGES).flatMap((title) =>
    title.split(' ').some((word) => query.includes(word)) ? [{ url: urlOf(title), title, snippet: title }] : [],
  );

const { its, submitted, worker, results } = endings();
beforeEach(async () => {
  const id = its.who.organization;
  const found = {
    ...its.api.organizations.get(id),
    id,
    name: id,
    createdAt: 0,
    models: ['openai/mechanical'],
    limits: {},
  };
  its.api.organizations.set(id, { ...found, limits: its.api.organizations.get(id)?.limits ?? {} });
  await its.api.table.insert(organizationDraft(found));
});

const never = () => Promise.reject(new Error('This is not wanted.'));
const RETRIES = { wait: async () => undefined, chance: () => 0 };
const BOUNDS = { model: 'openai/mechanical', price: undefined, maxOutput: 1_000 };

/** Runs the task to its end, with as many attempts as it takes. */
async function research({ model, budget }: { model: LanguageModelV4; budget?: number }): Promise<Any> {
  const id = await submitted({
    task_type: 'research_agent',
    input: { query: QUERY, deliverables: ['executive_summary', 'key_findings', 'data_table'] },
    ...(budget === undefined ? {} : { budget: { max_tokens: budget } }),
  });
  const run = worker((api) => ({
    research_agent: researchAgent({
      ...{ ...api, documents, openPage, earlierResearch: earlierResearch(api) },
      ...{ gatherFiles: never, computeFigure: never, render: never },
      gather: async (_, source) => ({ source, items: [], faults: [], queries: 1, isSample: false }),
      searchConnector: async () => ({
        name: 'searxng',
        search: async ({ text }) => ({ hits: hitsFor(text), notes: [] }),
      }),
      modelOf: async (id, { meter, address: { organization } }) => {
        meter.use(id);
        const gate = openGates({ model: id, pace: id, organization, hasWaited: false });
        const retrying = { id, timing: RETRIES, gate, hasPaid: () => false };
        return withRetries(withMetering(model, meter, { bounds: BOUNDS }), retrying);
      },
    }),
  }));
  for (let attempt = 0; attempt < 4; attempt++) {
    await run(id);
    its.api.clock.pass(600_000);
  }
  return results(id);
}

const ARCHITECT = 'Ilka Vandrey was the architect of the Eastmere lighthouse.';
const BIRTH = 'The year of the birth of Ilka Vandrey was 1871.';
/** Its figure stands nowhere. */
const INVENTED = 'Her lighthouse has 4,711 steps.';
const [LIGHTHOUSE = '', VANDREY = ''] = Object.values(PAGES);

/** It plans, reads two pages in two rounds, writes a report with an invented sentence, and corrects it. */
const ANSWERS = {
  plan: { sub_questions: [QUERY], queries: ['Eastmere lighthouse'] },
  round: (messages: readonly string[]) =>
    messages.join().includes(BIRTH) ? { covered: [1], queries: [] } : { covered: [], queries: ['Ilka Vandrey'] },
  read: notesOf(note(ARCHITECT, LIGHTHOUSE), note(BIRTH, VANDREY), note(INVENTED, VANDREY)),
  write: sectionsOf(
    [1, sentence(BIRTH, [1, 2]), sentence(INVENTED, [1, 2])],
    [2, sentence(ARCHITECT, [1, 2]), sentence(BIRTH, [1, 2])],
  ),
  rewrite: { statements: [{ number: 1, text: ARCHITECT, row: null, computed: [] }] },
};

/** Fails from the call of this number on. */
function failingFrom(nth: number, error?: unknown) {
  const { model, given } = roleModel(ANSWERS, { tokens: { input: TOKENS_OF_CALL, output: TOKENS_OF_CALL } });
  const failing = withGenerate(model, async (options) => {
    if (given.length + 1 >= nth) throw error;
    return model.doGenerate(options);
  });
  return { model: failing, given };
}

const tokensOf = ({ usage }: Any): number => usage.input_tokens + usage.output_tokens;
const tokensOfRoles = ({ usage }: Any): number =>
  usage.by_role.reduce((sum: number, one: Any) => sum + one.input_tokens + one.output_tokens, 0);
const partsOf = ({ results, processing_details: details }: Any) => ({
  rounds: details.research.rounds,
  findings: results.findings.length,
  sections: results.deliverables.filter(({ paragraphs }: Any) => paragraphs.length > 0).length,
});
const sentencesIn = ({ deliverables }: Any): Any[] =>
  deliverables.flatMap(({ paragraphs }: Any) => paragraphs.flatMap(({ sentences }: Any) => sentences));
const WHOLE = { rounds: 2, findings: 2, sections: 2 };

/** Calls that were answered never bring less than fewer of them, and each part comes once its calls are paid for. */
function expectGrowth(all: readonly Any[]): void {
  const parts = all.map(partsOf);
  const steps = { rounds: [1, 2], findings: [0, 1, 2], sections: [0, 2] };
  for (const name of ['rounds', 'findings', 'sections'] as const) {
    const counts = parts.map((part) => part[name]);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect([...new Set(counts)]).toEqual(steps[name]);
  }
  expect(JSON.stringify(all.map(({ results }) => [results.findings, results.deliverables]))).not.toContain('4,711');
}

/** From the second call on, as a research without a plan has no results. */
const ofCalls = async <T>(run: (nth: number) => Promise<T>): Promise<T[]> => {
  const { model, given } = failingFrom(Number.POSITIVE_INFINITY);
  expect(partsOf(await research({ model }))).toEqual(WHOLE);
  const ended: T[] = [];
  for (let nth = 2; nth <= given.length; nth++) ended.push(await run(nth));
  return ended;
};

it('keeps what it had paid for when the budget is used up, at whatever call', async () => {
  const all = await ofCalls(async (nth) => {
    const { model, given } = failingFrom(Number.POSITIVE_INFINITY);
    // Enough for the calls before it.
    const budget = (nth - 1) * 2 * TOKENS_OF_CALL;
    const ended = await research({ model, budget });
    expect(ended).toMatchObject({ status: 'failed', partial: true, error: { code: 'BUDGET_EXCEEDED' } });
    expect(given).toHaveLength(nth - 1);
    expect([tokensOf(ended), tokensOfRoles(ended)]).toEqual([budget, budget]);
    return ended;
  });
  expectGrowth(all);
  // What was written, and not looked at before the budget was used up, is marked.
  const marked = all.flatMap(({ results }) => sentencesIn(results).filter((each) => each.unconfirmed !== undefined));
  expect(new Set(marked.map(({ text }) => text))).toEqual(new Set([ARCHITECT, BIRTH]));
}, 60_000);

const usage = (total: number) => ({
  inputTokens: { total, noCache: undefined, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total, text: total, reasoning: 0 },
});
const BROKEN = new BrokenStream(new Error('cut'), { hasTokens: true, isRefusal: false, usage: usage(1_000) });
const REFUSED = new APICallError({ message: 'no', url: '', requestBodyValues: {}, statusCode: 401 });

it.each([
  ['refuses its key', REFUSED, 0],
  // Two tries in each of three attempts.
  ['breaks off each answer', BROKEN, 6 * 2_000],
])(
  'keeps what it had paid for when the model %s, from whatever call on',
  async (_, error, spent) => {
    const all = await ofCalls(async (nth) => {
      const ended = await research({ model: failingFrom(nth, error).model });
      expect(ended).toMatchObject({ status: 'failed', partial: true, error: { code: 'MODEL_UNAVAILABLE' } });
      expect(tokensOf(ended)).toBe((nth - 1) * 2 * TOKENS_OF_CALL + spent);
      expect(tokensOfRoles(ended)).toBeLessThanOrEqual(tokensOf(ended));
      return ended;
    });
    expectGrowth(all);
  },
  60_000,
);
