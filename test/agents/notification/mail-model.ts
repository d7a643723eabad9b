/** A model that answers each role of a notification as a test says, with an honest second look that refuses what is not so. */

import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { expect } from 'vitest';
import { strictFaults } from '../../engines/models/strict-faults.ts';
import type { Any } from '../../support/any.ts';
import { type Asked, isSecondLook, promptOf, verdictsOn } from '../scripted-look.ts';

type Answers = {
  compose?: object;
  subject?: object;
  correct?: object;
  /** One answer for each call; the last one serves all others. */
  condition?: object[];
  /** Texts of statements that the second look does not find in their items. */
  denied?: readonly string[];
  /** The second look agrees with everything, and so counts for nothing. */
  agreesWithAll?: boolean;
  /** What the second look says of the condition; by default it agrees. */
  isConditionDenied?: boolean;
};

const ROLES: [keyof Answers, RegExp][] = [
  ['compose', /^You write an e-mail from numbered items/],
  ['subject', /^You write the subject/],
  ['correct', /^You correct parts/],
  ['condition', /^You judge whether/],
];

/** `calls`: the roles in the order of the calls; `prompts` and `requests`: what each was asked. */
export function mailModel(answers: Answers) {
  const calls: string[] = [];
  const prompts: string[] = [];
  const requests: LanguageModelV4CallOptions[] = [];
  const written = new Set<string>();

  const verdictOf = ({ text, field }: Asked): boolean => {
    if (answers.agreesWithAll) return true;
    if (field !== undefined) return !answers.isConditionDenied;
    return text !== undefined && written.has(text) && !answers.denied?.includes(text);
  };

  function answerTo(prompt: string): string {
    if (isSecondLook(prompt)) {
      calls.push('look');
      return verdictsOn(prompt, verdictOf);
    }
    const role = ROLES.find(([, pattern]) => pattern.test(prompt))?.[0] ?? 'compose';
    const answer: Any = answers[role];
    const nth = calls.filter((call) => call === role).length;
    calls.push(role);
    const given = Array.isArray(answer) ? (answer[nth] ?? answer.at(-1)) : answer;
    remember(given, written);
    return JSON.stringify(given ?? {});
  }

  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    async doGenerate(options) {
      if (options.responseFormat?.type === 'json') expect(strictFaults(options.responseFormat.schema)).toEqual([]);
      const prompt = promptOf(options);
      prompts.push(prompt);
      requests.push(options);
      return {
        content: [{ type: 'text', text: answerTo(prompt) }],
        finishReason: { unified: 'stop', raw: undefined },
        usage: {
          inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 2, text: 2, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream() {
      throw new Error('Not streamed.');
    },
  };
  return { model, calls, prompts, requests };
}

/** The statements that the second look will be asked about, so that it sees through the one that code made false. */
function remember({ subject, introduction = [], entries = [], parts = [] }: Any = {}, written: Set<string>): void {
  for (const { title, text } of [{ text: subject }, ...introduction, ...entries, ...parts])
    written.add([title, text].filter(Boolean).join('\n'));
}
