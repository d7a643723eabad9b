/**
 * `offline/extractive`: our own language model, without a key and without a network. It reads what the tools return and
 * answers with quotes from it. It is deterministic, and says what it is.
 */
import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Usage } from '@ai-sdk/provider';
import { extract, extractInTurns } from './extractive/extract.ts';
import type { Passage } from './extractive/passage.ts';
import { titleOf } from './extractive/quote.ts';
import { fittingRules } from './fitting-rules.ts';
import { type Conversation, conversationOf } from './offline-conversation.ts';
import { isProse } from './save-as.ts';

/** The provider whose model quotes and cannot write. */
export const OFFLINE = 'offline';

export const isOffline = (model: string): boolean => model.startsWith(`${OFFLINE}/`);

const NO_TOKENS: LanguageModelV4Usage = {
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
    return { content, finishReason, usage: NO_TOKENS, warnings: [] };
  },
  doStream() {
    throw new Error('The offline model answers whole.');
  },
});

/** Lists the files, reads every page of each, looks into the rulesets, saves what it was asked to save, and answers. */
async function nextTurn(talk: Conversation, has: ReadonlySet<string>): Promise<LanguageModelV4Content[]> {
  const open = (tool: string) => has.has(tool) && !talk.asked.has(tool);
  const first = [
    ...(open('list_files') ? [call('list_files', 'list', {})] : []),
    ...(open('consult_rulesets') ? [call('consult_rulesets', 'rules', { query: talk.request })] : []),
  ];
  if (first.length > 0) return first;
  if (open('read_file') && talk.pages.length > 0) {
    return talk.pages.map(({ file, page }) => call('read_file', `read-${file}-${page}`, { file, page }));
  }
  const text = await answerTo(talk);
  if (!has.has('save_file') || talk.saveAs === undefined) return [{ type: 'text', text }];
  if (!isProse(talk.saveAs)) return [{ type: 'text', text: `${text}\n\n${notSaved(talk.saveAs)}` }];
  if (talk.asked.has('save_file')) return [{ type: 'text', text }];
  return [call('save_file', 'save', { name: talk.saveAs, content: `${text}\n` })];
}

const notSaved = (name: string): string => `${titleOf(name)} was not saved: this model writes text and Markdown only.`;

const call = (toolName: string, toolCallId: string, input: object): LanguageModelV4Content => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: JSON.stringify(input),
});

async function answerTo({ request, passages, handedOn, rules }: Conversation): Promise<string> {
  // With nothing to read the request itself may hold the text it is about.
  const material = passages.length > 0 ? passages : pastedIn(request);
  const found = await extractInTurns(request, material);
  // A step that only says how to put it is about what the step before found.
  const { text } = found.cited.length > 0 || handedOn.length === 0 ? found : extract(WHAT_THERE_IS, handedOn);
  if (rules.length === 0) return text;
  // Before the last paragraph, in which the model says what it is.
  const end = text.lastIndexOf('\n\n');
  return `${text.slice(0, end)}\n\n**Rules that apply**\n\n${fittingRules(request, rules)}${text.slice(end)}`;
}

const WHAT_THERE_IS = 'Summarise this.';
const LEAST_PASTED = 400;

const pastedIn = (request: string): Passage[] =>
  request.length < LEAST_PASTED ? [] : [{ source: 'your prompt', place: '', text: request }];
