/** A model that answers each role of a research as a test says, with an honest second look that knows what is not so. */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect } from 'vitest';
import { strictFaults } from '../../engines/models/strict-faults.ts';

type Verdict = { verdict: 'supported' | 'contradicted' | 'not_stated'; why?: string };

/** A text is given as it is. */
type Answer = object | string | ((messages: readonly string[]) => object);

export type Answers = {
  plan?: Answer;
  rank?: Answer;
  round?: Answer;
  read?: Answer;
  /** One answer for each call of the writer; the last one serves all others. */
  write?: Answer | object[];
  rewrite?: Answer;
  /** Of statements by their texts; all others are supported. */
  verdicts?: Record<string, Verdict>;
  agreesWithAll?: boolean;
  /** Of the second look, in place of verdicts. */
  look?: string;
};

/** A note of the model that reads. */
export const note = (statement: string, quote: string, more: object = {}) => ({
  ...{ statement, importance: 5, sub_question: 1, topics: [] as number[], citations: [{ document: 1, quote }] },
  ...{ computed: [], figures: [], ...more },
});

type Shown = { document: number; text: string };

/** Those of the notes whose quotes stand in the documents that the reader gets. */
export const notesOf =
  (...notes: ReturnType<typeof note>[]) =>
  (messages: readonly string[]) => {
    const documents = JSON.parse(messages[1]?.replace(/^[^\n]*\n/, '') ?? '[]') as Shown[];
    const located = notes.map((written) => ({
      ...written,
      citations: written.citations.flatMap(({ quote }) =>
        documents.flatMap(({ document, text }) => (text.includes(quote) ? [{ document, quote }] : [])),
      ),
    }));
    return { findings: located.filter(({ citations }) => citations.length > 0) };
  };

/** A sentence of the writer. */
export const sentence = (text: string, findings: number[], more: object = {}) => ({
  ...{ text, kind: 'fact', findings, computed: [], sub_question: 0, continues: false, ...more },
});

/** Sections of the writer by their numbers, of one paragraph each. */
export const sectionsOf = (...sections: [section: number, ...sentences: object[]][]) => ({
  sections: sections.map(([section, ...sentences]) => ({ section, title: '', paragraphs: [{ sentences }] })),
  rows: [],
});

export type Role = 'plan' | 'rank' | 'round' | 'read' | 'write' | 'rewrite' | 'look';

const ROLES: [string, Role][] = [
  ['You plan a research', 'plan'],
  ['You choose what is read', 'rank'],
  ['You lead a research', 'round'],
  ['You read documents', 'read'],
  ['You write a report', 'write'],
  ['You correct statements', 'rewrite'],
  ['You check statements', 'look'],
];

const NOTHING: Record<Exclude<Role, 'look' | 'rank'>, object> = {
  plan: { sub_questions: [], queries: [] },
  round: { covered: [], queries: [] },
  read: { findings: [] },
  write: { sections: [], rows: [] },
  rewrite: { statements: [] },
};

const textsOf = ({ prompt }: LanguageModelV4CallOptions): string[] =>
  prompt.map(({ content }) =>
    typeof content === 'string' ? content : content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  );

type Asked = { number: number; text: string; missing?: boolean; formulas?: string[] };

/** Statements that code made false have texts that nobody wrote: an honest second look does not agree to them. */
function looked(messages: readonly string[], written: ReadonlySet<string>, { verdicts = {}, agreesWithAll }: Answers) {
  const shown = messages.at(-1)?.split('\n').slice(1) ?? [];
  const all = shown.map((line) => JSON.parse(line) as Asked);
  return {
    verdicts: all.map(({ number, text }) => {
      const known = written.has(text) || agreesWithAll;
      const own = verdicts[text] ?? { verdict: known ? 'supported' : 'contradicted' };
      return { number, words: null, why: null, ...own };
    }),
  };
}

/** All texts in an answer, as a second look is asked about them. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return value && typeof value === 'object' ? [...Object.values(value).flatMap(textsIn), ...rowIn(value)] : [];
}

const rowIn = (value: object): string[] => {
  const { figure, of, value: number, unit, date } = value as Record<string, string | undefined>;
  if (figure === undefined || of === undefined) return [];
  return [
    `${of === '' ? figure : `${of}: ${figure}`}: ${[number, unit].filter(Boolean).join(' ')}${date ? ` (${date})` : ''}`,
  ];
};

export function roleModel(answers: Answers, { tokens = { input: 100, output: 20 } } = {}) {
  const given: { role: Role; messages: string[]; rules: string }[] = [];
  const written = new Set<string>();
  let writes = 0;
  const answerTo = (role: Role, messages: string[]): Answer => {
    if (role === 'look') return answers.look ?? looked(messages, written, answers);
    if (role === 'rank') {
      const items = JSON.parse(messages[1]?.replace(/^[^\n]*\n/, '') ?? '[]') as { item: number }[];
      return answers.rank ?? { items: items.map(({ item }) => ({ item, score: 3, sub_questions: [1] })) };
    }
    if (role !== 'write') return answers[role] ?? NOTHING[role];
    const all = Array.isArray(answers.write) ? answers.write : [answers.write ?? NOTHING.write];
    return all[Math.min(writes++, all.length - 1)] ?? NOTHING.write;
  };
  const model: LanguageModelV4 = {
    ...{ specificationVersion: 'v4', provider: 'roles', modelId: 'm', supportedUrls: {} },
    async doGenerate(options) {
      if (options.responseFormat?.type === 'json') expect(strictFaults(options.responseFormat.schema)).toEqual([]);
      const [rules = '', ...messages] = textsOf(options);
      const role = ROLES.find(([begins]) => rules.startsWith(begins))?.[1];
      if (!role) throw new Error(`The model of the test does not know this role: ${rules.slice(0, 80)}`);
      given.push({ role, messages, rules });
      const scripted = answerTo(role, messages);
      const answer = typeof scripted === 'function' ? scripted(messages) : scripted;
      if (role === 'read' || role === 'write' || role === 'rewrite')
        for (const text of textsIn(answer)) written.add(text);
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      return {
        content: [{ type: 'text', text }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: tokens.input, noCache: tokens.input, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: tokens.output, text: tokens.output, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream() {
      throw new Error('Answers are read by doGenerate.');
    },
  };
  return { model, given };
}
