/** What the offline model finds in a conversation: the request, what was read, and what it asked for already. */
import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import * as v from 'valibot';
import type { Passage } from './extractive/passage.ts';
import { saveAsIn } from './save-as.ts';

export type Conversation = {
  request: string;
  asked: ReadonlySet<string>;
  /** Every page of every file, once they are listed. */
  pages: { file: number; page: number }[];
  passages: Passage[];
  /** What the step before brought, without its own words. */
  handedOn: Passage[];
  rules: Passage[];
  /** The name of the file that the request asks to save the answer in. */
  saveAs: string | undefined;
};

const listed = v.array(v.object({ file: v.number(), name: v.string(), pages: v.number() }));
const pageRead = v.object({ name: v.string(), parts: v.array(v.object({ place: v.string(), text: v.string() })) });
const ruled = v.array(v.object({ ruleset: v.string(), rules: v.string() }));

/** The second text of the last message is a result that was handed on, not part of the request. */
export function conversationOf(prompt: LanguageModelV4Prompt): Conversation {
  const texts = prompt.flatMap((message) =>
    message.role === 'user' ? [message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []))] : [],
  );
  const [request = '', ...results] = texts.at(-1) ?? [];
  const handedOn = results.map(previous).filter(({ text }) => text.trim() !== '');
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
  const files = answers('list_files').flatMap((value) => taken(listed, value) ?? []);
  const read = answers('read_file').flatMap(passagesIn);
  return {
    request,
    asked: new Set(calls.flatMap((part) => (part.type === 'tool-call' ? [part.toolName] : []))),
    pages: files.flatMap(({ file, pages }) => Array.from({ length: pages }, (_, at) => ({ file, page: at + 1 }))),
    passages: read.length > 0 && !MEANS_THE_LAST.test(request) ? read : [...read, ...handedOn],
    handedOn,
    rules: answers('consult_rulesets').flatMap((value) =>
      (taken(ruled, value) ?? []).map(({ ruleset, rules }) => ({ source: ruleset, place: '', text: rules })),
    ),
    saveAs: saveAsIn(request, new Set(files.map(({ name }) => name))),
  };
}

/** What was quoted before stands in the files as well: it is looked at when the request means it, or there is nothing else. */
const MEANS_THE_LAST = /\b(previous|preceding|above|these|result|so far|step before)\b/i;

const previous = (text: string): Passage => ({ source: 'previous result', place: '', text: quotedIn(text) });

/** Without the marks of quotes, and without everything that this model writes around them: its own words are no material. */
function quotedIn(text: string): string {
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

const taken = <S extends v.GenericSchema>(schema: S, value: unknown): v.InferOutput<S> | undefined => {
  const parsed = v.safeParse(schema, value);
  return parsed.success ? parsed.output : undefined;
};

const passagesIn = (value: unknown): Passage[] => {
  const { name = '', parts = [] } = taken(pageRead, value) ?? {};
  return parts.map(({ place, text }) => ({ source: name, place, text }));
};
