/** The keyless model's core: answers a prompt with quotes from the passages, and with nothing else. */
import { setImmediate } from 'node:timers/promises';
import { citations } from './citations.ts';
import type { Desk } from './desk.ts';
import { findBlocks } from './find-blocks.ts';
import type { Extract, Passage } from './passage.ts';
import { type Request, readPrompt } from './read-prompt.ts';
import { lexiconOf, termsOf } from './terms.ts';
import { writeAnswers } from './write-answers.ts';

/** `language` is a BCP 47 tag for the splitting of sentences; the model's own words are English. */
export type ExtractOptions = { language?: string; maxCharacters?: number };

const ABOUT =
  "_Written by Errand's offline extractive model. It is not a large language model: it quotes what is attached and adds nothing of its own._";
const NOTHING_ATTACHED =
  'Nothing is attached to this task that could be read, and this model has no knowledge of its own. Attach one or more documents and ask again.';
const NO_ROOM = 'The answer would be longer than it may be. Ask for less at a time, or attach fewer documents.';
const MAX_CHARACTERS = 8_000;
const MAX_PROMPT = 100_000;

/** Equal input gives equal output: there is no clock and no chance in here. Linear in the size of the passages. */
export function extract(prompt: string, passages: Passage[], options: ExtractOptions = {}): Extract {
  const steps = inSteps(prompt, passages, options);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

const TURN_MS = 20;

/** The same, letting others go on in between: for as much as a task may hold. */
export async function extractInTurns(prompt: string, passages: Passage[]): Promise<Extract> {
  const steps = inSteps(prompt, passages, {});
  for (let since = performance.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() - since < TURN_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}

function* inSteps(prompt: string, passages: Passage[], options: ExtractOptions): Generator<undefined, Extract> {
  const { language = 'en', maxCharacters = MAX_CHARACTERS } = options;
  const readable = passages
    .map((passage) => ({ ...passage, text: passage.text.normalize('NFC') }))
    .filter(({ text }) => /[\p{L}\p{N}]/u.test(text));
  if (readable.length === 0) return { text: `${NOTHING_ATTACHED}\n\n${ABOUT}`, cited: [] };
  const requests = readPrompt(prompt.slice(0, MAX_PROMPT), language);
  const lexicon = lexiconOf(termsOf(requests.map(({ text, aside }) => `${text} ${aside}`).join('\n')));
  const searches = requests.some(({ kind }) => kind !== 'summarise');
  const sieved = yield* findBlocks(searches ? readable : [], lexicon);
  // What marks and names take is known only when it is written: once more, with less, if it was too much.
  for (let room = maxCharacters - ABOUT.length; room > 1; room = Math.floor(room / 2)) {
    const desk = { passages: readable, lexicon, sieved, language, citations: citations(readable), room };
    const written = write(requests, desk);
    if (written.text.length <= maxCharacters) return written;
  }
  return { text: `${NO_ROOM}\n\n${ABOUT}`, cited: [] };
}

function write(requests: Request[], desk: Desk): Extract {
  const body = writeAnswers(requests, desk);
  const { cited, list } = desk.citations;
  const sources = cited.length > 0 ? `\n\n**Sources**\n\n${list()}` : '';
  return { text: `${body}${sources}\n\n${ABOUT}`, cited };
}
