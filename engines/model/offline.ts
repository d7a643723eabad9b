/**
 * `offline/extractive`: our own language model, without a key and without a network. It reads what the tools return and
 * answers with quotes from it. It is deterministic, and says what it is.
 */
import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Usage } from '@ai-sdk/provider';
import { extract, extractYielding } from './extractive/extract.ts';
import type { Passage } from './extractive/passage.ts';
import { titleOf } from './extractive/quote.ts';
import { matchingRules } from './fitting-rules.ts';
import { conversationOf, type OfflineConversation } from './offline-conversation.ts';
import { isProse } from './save-as.ts';

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
