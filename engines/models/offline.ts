/** `offline/extractive`: a deterministic model without key and network that answers with quotes from what its tools return, and says so. */

import type {
  LanguageModelV4,
  LanguageModelV4Content,
  LanguageModelV4Prompt,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import * as v from 'valibot';
import { extract, extractYielding } from './extractive/extract.ts';
import type { Passage } from './extractive/passages.ts';
import { titleOf } from './extractive/quotes.ts';

/** The name of the file that a request asks to save the answer in, and whether this model can write such a file. */
const VERB = /\b(?:saved?|write|written|stored?|export(?:ed)?|put|create|make|generate)\b/iu;
const ENDING = '\\.(?:md|markdown|txt|csv|tsv|jsonl?|xml|ya?ml|html?|pdf|docx?|xlsx?|pptx?)';
const END = '(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])';
const SIGN = '[\\p{L}\\p{N}\\p{M}_.-]';
/** What stands before a name, which has blanks in quotes only. Every repetition is bounded: a hostile request costs no more. */
const NAMED = new RegExp(
  `(?:^|\\b(as|to|in|into|named|called|file):?)\\s{1,9}(?:(?:an?|the|markdown|text|file|named|called)\\s{1,9}){0,4}` +
    `(?:["'\`“‘]([^"'\`“”‘’\\n]{1,80}${ENDING})["'\`”’]|([\\p{L}\\p{N}_]${SIGN}{0,80}${ENDING})${END})`,
  'giu',
);
/** "Save it as my notes.md": where no other name stands. */
const SPACED = new RegExp(
  `\\b(?:as|named|called)\\s{1,9}((?:[\\p{L}\\p{N}\\p{M}_-]{1,40} ){1,4}${SIGN}{1,80}${ENDING})${END}`,
  'iu',
);
const CLAUSE_END = /[.?!](?=\s)|\n/u;
const MAX_SEARCHED = 20_000;
const PROSE = /\.(?:md|markdown|txt)$/iu;

export const isProse = (fileName: string): boolean => PROSE.test(fileName);

/** `attached` are the names of the files to read: "write what is due in lease.txt" does not ask to save one. */
export function requestedFileName(request: string, attached: ReadonlySet<string>): string | undefined {
  for (const clause of request.slice(0, MAX_SEARCHED).split(CLAUSE_END)) {
    const verb = VERB.exec(clause);
    const named = verb ? fileNameIn(clause.slice(verb.index + verb[0].length), attached) : undefined;
    if (named !== undefined) return named;
  }
  return undefined;
}

function fileNameIn(behind: string, attached: ReadonlySet<string>): string | undefined {
  for (const [, sign = 'in', quoted, bare] of behind.matchAll(NAMED)) {
    const name = quoted ?? bare;
    const isRead = name !== undefined && sign.toLowerCase() === 'in' && attached.has(name);
    if (name !== undefined && !isRead) return name;
  }
  return SPACED.exec(behind)?.[1];
}

// The rules that fit a request, as a list: each as it stands in its ruleset, under the ruleset's name.

/** Of each ruleset, where none of its rules fits more than the others. */
const MAX_CHARACTERS = 500;
/** Before a paragraph, and before what begins with the mark of a list or a heading. */
const ITEM = /\n\s*\n|\n(?=\s*(?:[-*+]|\d+[.)]|#{1,6})\s)/;
const HEADING = /^\s*#{1,6}\s/;

function matchingRules(request: string, rulesets: Passage[]): string {
  const rules = rulesets.flatMap((ruleset) => itemsOf(ruleset.text).map((text) => ({ ...ruleset, text })));
  const cited = extract(request, rules).cited.map(({ source, excerpt }) => ({ source, text: excerpt }));
  const shown = cited.length > 0 ? cited : rulesets.flatMap(firstRules);
  return [...Map.groupBy(shown, ({ source }) => source)].map(([source, all]) => formatRules(source, all)).join('\n');
}

const itemsOf = (text: string): string[] =>
  text
    .split(ITEM)
    .filter((item) => !HEADING.test(item))
    .map((item) =>
      item
        .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);

/** Whole rules, and one at least. */
function firstRules({ source, text }: Passage) {
  let left = MAX_CHARACTERS;
  return itemsOf(text).flatMap((rule, at) => {
    left -= rule.length;
    return at === 0 || left >= 0 ? [{ source, text: rule.slice(0, MAX_CHARACTERS) }] : [];
  });
}

function formatRules(source: string, rules: { text: string }[]): string {
  const [only] = rules;
  if (rules.length === 1 && only) return `- ${source}: ${only.text}`;
  return [`- ${source}:`, ...rules.map(({ text }) => `  - ${text}`)].join('\n');
}

// What the offline model finds in a conversation: the request, what was read, and what it asked for already.

type OfflineConversation = {
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
function conversationOf(prompt: LanguageModelV4Prompt): OfflineConversation {
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

// `offline/extractive`: our own language model, without a key and without a network. It reads what the tools return and
// answers with quotes from it. It is deterministic, and says what it is.

/** The provider whose model quotes and cannot write. */
export const OFFLINE = 'offline';

export const isOffline = (model: string): boolean => model.startsWith(`${OFFLINE}/`);

const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

export const offlineModel = (): LanguageModelV4 => ({
  specificationVersion: 'v4',
  provider: OFFLINE,
  modelId: 'extractive',
  supportedUrls: {},
  async doGenerate({ prompt, tools = [] }) {
    const has = new Set(tools.map(({ name }) => name));
    const content = await nextTurn(conversationOf(prompt), has);
    const calls = content.some(({ type }) => type === 'tool-call');
    const finishReason = { unified: calls ? 'tool-calls' : 'stop', raw: undefined } as const;
    return { content, finishReason, usage: NO_USAGE, warnings: [] };
  },
  doStream() {
    throw new Error('The offline model answers whole.');
  },
});

/** Lists the files, reads every page of each, looks into the rulesets, saves what it was asked to save, and answers. */
async function nextTurn(
  conversation: OfflineConversation,
  tools: ReadonlySet<string>,
): Promise<LanguageModelV4Content[]> {
  const open = (tool: string) => tools.has(tool) && !conversation.calledTools.has(tool);
  const first = [
    ...(open('list_files') ? [toolCall('list_files', 'list', {})] : []),
    ...(open('consult_rulesets') ? [toolCall('consult_rulesets', 'rules', { query: conversation.request })] : []),
  ];
  if (first.length > 0) return first;
  if (open('read_file') && conversation.pages.length > 0) {
    return conversation.pages.map(({ file, page }) => toolCall('read_file', `read-${file}-${page}`, { file, page }));
  }
  const text = await answerTo(conversation);
  if (!tools.has('save_file') || conversation.saveAs === undefined) return [{ type: 'text', text }];
  if (!isProse(conversation.saveAs)) return [{ type: 'text', text: `${text}\n\n${notSaved(conversation.saveAs)}` }];
  if (conversation.calledTools.has('save_file')) return [{ type: 'text', text }];
  return [toolCall('save_file', 'save', { name: conversation.saveAs, content: `${text}\n` })];
}

const notSaved = (name: string): string => `${titleOf(name)} was not saved: this model writes text and Markdown only.`;

const toolCall = (toolName: string, toolCallId: string, input: object): LanguageModelV4Content => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

async function answerTo({ request, passages, previousResults: handedOn, rules }: OfflineConversation): Promise<string> {
  // With nothing to read the request itself may hold the text it is about.
  const material = passages.length > 0 ? passages : pastedText(request);
  const found = await extractYielding(request, material);
  // A step that only says how to put it is about what the step before found.
  const { text } = found.cited.length > 0 || handedOn.length === 0 ? found : extract(SUMMARY_REQUEST, handedOn);
  if (rules.length === 0) return text;
  // Before the last paragraph, in which the model says what it is.
  const end = text.lastIndexOf('\n\n');
  return `${text.slice(0, end)}\n\n**Rules that apply**\n\n${matchingRules(request, rules)}${text.slice(end)}`;
}

const SUMMARY_REQUEST = 'Summarise this.';
const MIN_PASTED_LENGTH = 400;

const pastedText = (request: string): Passage[] =>
  request.length < MIN_PASTED_LENGTH ? [] : [{ source: 'your prompt', place: '', text: request }];
