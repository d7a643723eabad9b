/**
 * A scripted model server. `openai/gone` does not exist, `openai/hangs` and any second step get no answer, and
 * `openai/stops-at-X` answers every question except those whose answer begins with the field X.
 */

import { type Answering, json } from '../engines/models/stub-server.ts';
import { workloadVerdicts } from '../engines/models/workload-verdicts.ts';
import type { Any } from '../support/any.ts';

export const STEPS = ['Do the first step.', 'Do the second step.'];
const STOPS_AT = 'stops-at-';

const modelAnswer = (content: string): Answering =>
  json({
    id: 'answer',
    object: 'chat.completion',
    created: 0,
    model: 'test',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  });

/** Answers what is asked in the form that the question names; other questions get `usual`. */
export const scriptedAnswer = (usual: string, body: Any): Answering => {
  const texts = textsOf(body);
  const answer = ANSWERS[fieldOf(texts) ?? '']?.(texts);
  return modelAnswer(answer === undefined ? usual : JSON.stringify(answer));
};

export const answerModel: Answering = (response, request) => {
  const { model, messages } = request.body as { model: string; messages: unknown };
  const isSecondStep = JSON.stringify(messages).includes(String(STEPS[1]));
  const isStop = model === `${STOPS_AT}${fieldOf(textsOf(request.body))}`;
  if (model === 'gone') json({ error: { message: 'no such model' } }, 404)(response, request);
  else if (model !== 'hangs' && !isSecondStep && !isStop)
    scriptedAnswer('The first step is done.', request.body)(response, request);
};

const textsOf = ({ messages }: Any): string[] =>
  messages.map(({ content }: Any) =>
    typeof content === 'string' ? content : (content ?? []).map(({ text = '' }: Any) => text).join('\n'),
  );

/** The first field of the answer that is asked for. */
const fieldOf = (texts: string[]): string | undefined => /JSON of this form[^{]*\{"(\w+)"/.exec(texts.join('\n'))?.[1];

const ANSWERS: Record<string, (texts: string[]) => object> = {
  sub_questions: () => ({ sub_questions: ['How did port fees change?'], queries: ['port fees 2026'] }),
  items: () => ({ items: Array.from({ length: 20 }, (_, at) => ({ item: at + 1, score: 3 })) }),
  covered: () => ({ covered: [1], queries: [] }),
  findings: (texts) => ({
    findings: [
      ...jsonAfter(texts, 'The documents:').map(({ document, text }: Any) => {
        const quote = firstSentence(text);
        const citations = [{ document, quote }];
        return { statement: quote, importance: 3, sub_question: 1, topics: [], citations, computed: [], figures: [] };
      }),
    ],
  }),
  sections: (texts) => ({
    sections: [{ section: 1, title: '', paragraphs: linesOf(texts, 'finding').map(sentenceOf) }],
    rows: [],
  }),
  statements: () => ({ statements: [] }),
  verdicts: (texts) =>
    workloadVerdicts(texts.slice(texts.findIndex((text) => text.startsWith('Quotes:\n'))).join('\n')),
  fields: () => ({
    fields: [{ path: 'landlord', value: 'the harbour trust', quote: 'The landlord is the harbour trust' }],
  }),
  subject: () => ({ subject: 'Port fees', introduction: 'Ports raised their fees.' }),
};

function jsonAfter(texts: string[], label: string): Any[] {
  const message = texts.find((text) => text.startsWith(`${label}\n`));
  return message === undefined ? [] : JSON.parse(message.slice(label.length + 1));
}

const sentenceOf = ({ finding, text }: Any) => {
  const about = { kind: 'fact', findings: [finding], computed: [], sub_question: 0, continues: false };
  return { sentences: [{ text, ...about }] };
};

/** The objects, one a line, that begin with this key. */
const linesOf = (texts: string[], key: string): Any[] =>
  texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith(`{"${key}":`))
    .map((line) => JSON.parse(line));

const firstSentence = (text: string): string => /^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text;
