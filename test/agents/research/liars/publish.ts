/** Runs the research agent over statements of known truth, and reads what its public results publish of them. */

import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Verdict } from '../../../../agents/verification/statement-verdict.ts';
import type { ResearchResults } from '../../../../shared/agents/results/research.ts';
import { type Asked, isSecondLook, verdictsOn } from '../../scripted-look.ts';
import { scriptedModel } from '../../scripted-model.ts';
import { itemsOf, openResearch } from '../setup.ts';
import type { Statement } from './statements.ts';

/** Judges a claim, or a claim that code made false: then the statement is undefined. `broken`: the answer has no form. */
export type Verifier = (statement: Statement | undefined, asked: Asked) => Verdict['verdict'] | 'broken';

/** `unmarked`: something confirmed the claim. `marked`: it is published with the remark that nothing did. */
export type Fate = 'unmarked' | 'marked' | 'left out';

/** Of a claim as a note, as a sentence of the report, and as a row of its table. */
export type Fates = { note: Fate; sentence: Fate; row: Fate };

/** The statements of one research: no two of them have the same claim. */
const AT_ONCE = 24;

const jsonBehind = (texts: readonly string[], heading: string) => {
  const text = texts.find((one) => one.startsWith(heading)) ?? '';
  return JSON.parse(text.slice(heading.length));
};

/** What a table says of a claim that is one of its figures. */
const textOfRow = (claim: string): string => `${claim}: `;

/**
 * The writer states the claim of each document that it is shown, with the whole source as quote; rests a claim without a note
 * on another document's note; and insists on all that is refused.
 */
function liar(all: readonly Statement[], verifier: Verifier): LanguageModelV4 {
  const byClaim = new Map(all.flatMap((one) => [one.claim, textOfRow(one.claim)].map((text) => [text, one])));
  const notesOf = (documents: readonly { document: number; text: string }[]) =>
    documents.flatMap(({ document, text }) =>
      all
        .filter(({ source }) => source === text)
        .map(({ claim, source, quote = source, computed = [] }) => ({
          ...{ statement: claim, importance: 5, sub_question: 1, topics: [], figures: [] },
          citations: [{ document, quote }],
          computed,
        })),
    );
  const reportOf = (material: string) => {
    const lines = material.split('\n').filter((line) => line.startsWith('{"finding":'));
    const notes = lines.map((line) => JSON.parse(line) as { finding: number; text: string });
    const written = all.map(({ claim, computed = [] }) => {
      const note = notes.find(({ text }) => text === claim) ?? notes[0];
      return { claim, findings: note ? [note.finding] : [], computed };
    });
    const sentences = written.map(({ claim, ...rests }) => ({ text: claim, kind: 'fact', ...rests }));
    const empty = { of: '', value: '', unit: '', date: '' };
    return {
      sections: [{ section: 1, paragraphs: [{ sentences }] }],
      rows: written.map(({ claim, ...rests }) => ({ figure: claim, ...empty, ...rests })),
    };
  };
  const insists = (material: string) => ({
    statements: material.split('\n').flatMap((line) => {
      if (!line.startsWith('{"number":')) return [];
      const { number, text = '', row = null, formulas } = JSON.parse(line);
      return [{ number, text, row, computed: formulas }];
    }),
  });
  const look = (prompt: string): string => {
    let isBroken = false;
    const answer = verdictsOn(prompt, (asked) => {
      const said = verifier(byClaim.get(asked.text ?? ''), asked);
      isBroken ||= said === 'broken';
      return said !== 'broken' && said;
    });
    return isBroken ? 'I would rather not say.' : answer;
  };
  const answerTo = (rules: string, texts: readonly string[]): unknown => {
    if (rules.startsWith('You read documents')) return { findings: notesOf(jsonBehind(texts, 'The documents:\n')) };
    if (rules.startsWith('You write a report')) return reportOf(texts.join('\n'));
    if (rules.startsWith('You correct statements')) return insists(texts.join('\n'));
    return { sub_questions: [], queries: [], covered: [], items: [] };
  };
  return {
    ...{ specificationVersion: 'v4', provider: 'scripted', modelId: 'm', supportedUrls: {} },
    async doGenerate(options) {
      const { finishReason, usage } = await scriptedModel().model.doGenerate(options);
      const [rules = '', ...texts] = options.prompt.map(({ content }) =>
        typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
      );
      const text = isSecondLook(rules) ? look(texts.join('\n')) : JSON.stringify(answerTo(rules, texts));
      return { content: [{ type: 'text', text }], finishReason, usage, warnings: [] };
    },
    doStream() {
      throw new Error('Answers are read by doGenerate.');
    },
  };
}

/** What becomes of each statement, which stands in a document of its own. */
export async function publish(all: readonly Statement[], verifier: Verifier): Promise<Map<Statement, Fates>> {
  const fates = new Map<Statement, Fates>();
  for (const part of partsOf(all)) {
    const results = await research(part, verifier);
    for (const statement of part) fates.set(statement, fatesOf(statement, results));
  }
  return fates;
}

function partsOf(all: readonly Statement[]): Statement[][] {
  const parts: Statement[][] = [];
  for (const statement of all) {
    const part = parts.find((each) => each.length < AT_ONCE && each.every(({ claim }) => claim !== statement.claim));
    if (part) part.push(statement);
    else parts.push([statement]);
  }
  return parts;
}

async function research(part: readonly Statement[], verifier: Verifier): Promise<ResearchResults> {
  const items = part.map(({ source: text }, at) => ({ title: `Report of the ledger ${at}`, text }));
  const at = openResearch({ news_feeds: { items: itemsOf('news_feeds', items), queries: 1 } }, liar(part, verifier));
  const asks = { query: 'What does the report of the ledger say?', deliverables: ['key_findings', 'data_tables'] };
  const { results } = await at.run({ ...asks, depth: 'comprehensive', analysis_depth: 'expert' });
  at.close();
  return results;
}

function fatesOf({ claim }: Statement, { findings, deliverables }: ResearchResults): Fates {
  const sentences = deliverables.flatMap(({ paragraphs }) => paragraphs.flatMap((paragraph) => paragraph.sentences));
  const rows = deliverables.flatMap(({ table }) => table?.rows ?? []);
  const fate = (published: { unconfirmed?: string } | undefined): Fate =>
    published === undefined ? 'left out' : published.unconfirmed === undefined ? 'unmarked' : 'marked';
  return {
    note: fate(findings.find(({ text }) => text === claim)),
    sentence: fate(sentences.find(({ text }) => text === claim)),
    row: fate(rows.find(({ cells }) => cells[0] === claim)),
  };
}
