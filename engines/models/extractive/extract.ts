/** The keyless model's core: answers a prompt with quotes from the passages, and with nothing else. */
import { setImmediate } from 'node:timers/promises';
import type { ExtractResult, Passage } from '../../retrieval/passages.ts';
import { citations } from '../../retrieval/quotes.ts';
import { type AnswerContext, asksForLabelled, writeAnswers } from './answers.ts';
import { statementLabels } from './business-figures.ts';
import type { FindLabelled } from './labelled-answers.ts';
import { type PromptRequest, readPrompt } from './prompt.ts';
import { findBlocks } from './ranking.ts';
import { glossaryOf, lexiconOf, termsOf } from './terms.ts';

/** `language` is a BCP 47 tag for splitting sentences; the model's own words are English. */
type ExtractOptions = { language?: string; maxCharacters?: number; find?: FindLabelled | undefined };

export const DISCLAIMER =
  "_Written by Errand's offline extractive model. It is not a large language model: it quotes what is attached and adds nothing of its own._";
const NOTHING_ATTACHED =
  'No document that can be read is attached, and this model has no knowledge of its own. Attach one or more documents and ask again.';
const TOO_LONG = 'The answer would exceed the limit. Ask for less at a time, or attach fewer documents.';
const MAX_CHARACTERS = 8_000;
const MAX_PROMPT = 100_000;

/** Deterministic: it uses no clock and no randomness. The cost is linear in the size of the passages. */
export function extract(prompt: string, passages: Passage[], options: ExtractOptions = {}): ExtractResult {
  const steps = extractSteps(prompt, passages, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const TURN_MS = 20;

/** Same as `extract`, but yields to the event loop, for large inputs. */
export async function extractYielding(
  prompt: string,
  passages: Passage[],
  options: Pick<ExtractOptions, 'find'> = {},
): Promise<ExtractResult> {
  const steps = extractSteps(prompt, passages, options);
  for (let since = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - since < TURN_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}

function* extractSteps(
  prompt: string,
  passages: Passage[],
  options: ExtractOptions,
): Generator<undefined, ExtractResult> {
  const { language = 'en', maxCharacters = MAX_CHARACTERS, find } = options;
  const readable = passages
    .map((passage) => ({ ...passage, text: passage.text.normalize('NFC') }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (readable.length === 0) return { text: `${NOTHING_ATTACHED}\n\n${DISCLAIMER}`, cited: [] };
  const requests = readPrompt(prompt.slice(0, MAX_PROMPT), language);
  const searched = requests.map(({ text, aside }) => [text, ...statementLabels(text), aside].join(' ')).join('\n');
  const lexicon = lexiconOf(termsOf(searched), glossaryOf(searched, readable));
  const searches = requests.some(({ kind }) => kind !== 'summarise');
  const matches = yield* findBlocks(searches ? readable : [], lexicon);
  // The length of markup and names is known only after writing, so a text that is too long is written again with less
  // room.
  for (let maxLength = maxCharacters - DISCLAIMER.length; maxLength > 1; maxLength = Math.floor(maxLength / 2)) {
    const context = {
      passages: readable,
      lexicon,
      sieved: matches,
      language,
      citations: citations(readable),
      room: maxLength,
      find,
    };
    const written = write(requests, context);
    if (written.text.length <= maxCharacters) return written;
  }
  return { text: `${TOO_LONG}\n\n${DISCLAIMER}`, cited: [] };
}

/** Whether a question of the prompt asks for a labelled value, such as the total of a bill. */
export const isLabelledRequest = (prompt: string, passages: Passage[], find: FindLabelled | undefined): boolean =>
  readPrompt(prompt.slice(0, MAX_PROMPT), 'en').some((request) => asksForLabelled(request, passages, find));

function write(requests: PromptRequest[], context: AnswerContext): ExtractResult {
  const body = writeAnswers(requests, context);
  const { cited, list } = context.citations;
  const sources = cited.length > 0 ? `\n\n**Sources**\n\n${list()}` : '';
  return { text: `${body}${sources}\n\n${DISCLAIMER}`, cited };
}
