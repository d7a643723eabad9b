/** What the offline model finds in a conversation: the request, what was read, and what it asked for already. */
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { Passage } from './extractive/passage.ts';
import { requestedFileName } from './save-as.ts';

export type OfflineConversation = {
  request: string;
  calledTools: ReadonlySet<string>;
  /** Every page of every file, once they are listed. */
  pages: { file: number; page: number }[];
  passages: Passage[];
  /** What the step before brought, without its own words. */
  previousResults: Passage[];
  rules: Passage[];
  /** The name of the file that the request asks to save the answer in. */
  saveAs: string | undefined;
};

const fileListSchema = v.array(v.object({ file: v.number(), name: v.string(), pages: v.number() }));
const pageSchema = v.object({ name: v.string(), parts: v.array(v.object({ place: v.string(), text: v.string() })) });
const rulesSchema = v.array(v.object({ ruleset: v.string(), rules: v.string() }));

/** The second text of the last message is a result that was handed on, not part of the request. */
export function conversationOf(prompt: LanguageModelV4Prompt): OfflineConversation {
  const texts = prompt.flatMap((message) =>
    message.role === 'user' ? [message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))] : [],
  );
  const [request = '', ...results] = texts.at(-1) ?? [];
  const handedOn = results.map(previousResult).filter(({ text }) => text.trim() !== '');
  const calls = prompt.flatMap((message) => (message.role === 'assistant' ? message.content : []));
  const answers = (tool: string): unknown[] =>
    prompt.flatMap((message) =>
      message.role === 'tool'
        ? message.content.flatMap((part) =>
            part.type === 'tool-result' && part.toolName === tool && part.output.type === 'json'
              ? [part.output.value]
              : [],
          )
        : [],
    );
  const files = answers('list_files').flatMap((value) => parseAs(fileListSchema, value) ?? []);
  const read = answers('read_file').flatMap(passagesIn);
  return {
    request,
    calledTools: new Set(calls.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))),
    pages: files.flatMap(({ file, pages }) => Array.from({ length: pages }, (_, at) => ({ file, page: at + 1 }))),
    passages: read.length > 0 && !REFERS_TO_PREVIOUS.test(request) ? read : [...read, ...handedOn],
    previousResults: handedOn,
    rules: answers('consult_rulesets').flatMap((value) =>
      (parseAs(rulesSchema, value) ?? []).map(({ ruleset, rules }) => ({ source: ruleset, place: '', text: rules })),
    ),
    saveAs: requestedFileName(request, new Set(files.map(({ name }) => name))),
  };
}

/** What was quoted before stands in the files as well: it is looked at when the request means it, or there is nothing else. */
const REFERS_TO_PREVIOUS = /\b(previous|preceding|above|these|result|so far|step before)\b/i;

const previousResult = (text: string): Passage => ({
  source: 'previous result',
  place: '',
  text: withoutQuoteMarks(text),
});

/** Without the marks of quotes, and without everything that this model writes around them: its own words are no material. */
function withoutQuoteMarks(text: string): string {
  let fence = '';
  const lines = text.split('\n').map((line) => {
    const edge = /^`{3,}$/.exec(line)?.[0] ?? '';
    if (fence !== '' || edge !== '') {
      if (fence === '' || edge === fence) fence = fence === '' ? edge : '';
      return line;
    }
    return line.startsWith('>') ? line.replace(/^> ?/, '').replace(/(?:^| )\[\d+\]$/, '') : '';
  });
  return lines.join('\n');
}

const parseAs = <S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> | undefined => {
  const parsed = v.safeParse(schema, value);
  return parsed.success ? parsed.output : undefined;
};

const passagesIn = (value: unknown): Passage[] => {
  const { name = '', parts = [] } = parseAs(pageSchema, value) ?? {};
  return parts.map(({ place, text }) => ({ source: name, place, text }));
};
