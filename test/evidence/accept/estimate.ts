/** What an acceptance costs at most, roughly: before anything is asked. */
import { statSync } from 'node:fs';
import { profileOf } from '../../../engines/models/profile.ts';
import { type AcceptanceSet, pathsOf } from './set.ts';

const BYTES_A_TOKEN = 4;
/** A model is shown at most this much of a document in a call. */
const MOST_TOKENS = 50_000;
const INSTRUCTIONS = 3_000;
/** Calls that show a document again: a second look at its values, or the next step of a loop. */
const CALLS_OF_DOCUMENT = 3;
const CALLS_OF_CHAT = 6;
const CALLS_OF_RESEARCH = 25;
const TOKENS_OF_RESEARCH_CALL = 4_000;
const ANSWER = 800;

type Estimate = { calls: number; inputTokens: number; outputTokens: number; usd: number | null };

function estimate({ items, chat, research }: AcceptanceSet, model: string): Estimate {
  const ofDocuments = items.map(({ path }) => CALLS_OF_DOCUMENT * (INSTRUCTIONS + tokensOf(path)));
  const ofChat = chat ? CALLS_OF_CHAT * (INSTRUCTIONS + sum(chat.paths.map(tokensOf))) : 0;
  const ofResearch = research ? CALLS_OF_RESEARCH * TOKENS_OF_RESEARCH_CALL : 0;
  const calls = CALLS_OF_DOCUMENT * items.length + (chat ? CALLS_OF_CHAT : 0) + (research ? CALLS_OF_RESEARCH : 0);
  const inputTokens = sum(ofDocuments) + ofChat + ofResearch;
  const outputTokens = calls * ANSWER;
  const { price } = profileOf(model);
  const usd = price ? (inputTokens * price.input + outputTokens * price.output) / 1_000_000 : null;
  return { calls, inputTokens, outputTokens, usd };
}

export function estimateLine(set: AcceptanceSet, model: string): string {
  const { calls, inputTokens, outputTokens, usd } = estimate(set, model);
  const count = (tokens: number) => tokens.toLocaleString('en');
  const price = usd === null ? 'its price is not known' : `at most about ${usd.toFixed(2)} US dollars`;
  return `${pathsOf(set).length} documents, about ${calls} calls, ${count(inputTokens)} tokens in and ${count(outputTokens)} out: ${price}.`;
}

const tokensOf = (path: string): number => Math.min(MOST_TOKENS, Math.ceil(statSync(path).size / BYTES_A_TOKEN));
const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
