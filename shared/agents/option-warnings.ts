/** Warns of options in a valid submission that do not have the effect a caller may expect. */
import { nearestName } from '../core/nearest-name.ts';
import type { AgentRequest } from './agent-input.ts';
import { kindOfNotification } from './notification-kind.ts';
import type { ResearchInput } from './research-input.ts';
import { DEFAULT_ANALYSIS_DEPTH, DEFAULT_DEPTH, RESEARCH_OPTIONS, unknownOptions, wordKey } from './research-words.ts';
import type { TaskType } from './task-types.ts';

const WARNINGS: { [T in TaskType]: (asked: AgentRequest[T]) => string[] } = {
  research_agent: (asked) => {
    const unknown = unknownOptions(asked);
    const isTypeKnown = asked.research_type != null && !unknown.includes('research_type');
    return [
      ...(isTypeKnown
        ? ['input.research_type only adds words to the search queries; it does not change sections or selection yet.']
        : []),
      ...unknown.map((option) => unknownOption(option, asked)),
    ];
  },
  processing_agent: ({ processing_type: type }) =>
    type == null
      ? []
      : ['input.processing_type has no effect yet: what is extracted depends on input.extraction_rules alone.'],
  notification_agent: ({ notification_type: type }) =>
    kindOfNotification(type ?? '') === 'alert'
      ? ['input.notification_type is an alert without a condition: it is always sent, at every run.']
      : [],
};

export const optionWarnings = <T extends TaskType>(type: T, asked: AgentRequest[T]): string[] => WARNINGS[type](asked);

const INSTEAD = {
  research_type: 'its words are added to the search queries',
  depth: `${DEFAULT_DEPTH} is used`,
  analysis_depth: `${DEFAULT_ANALYSIS_DEPTH} is used`,
};

function unknownOption(option: keyof typeof INSTEAD, asked: ResearchInput): string {
  const words = RESEARCH_OPTIONS[option];
  const known = Object.keys(words);
  const nearest = nearestName(wordKey(asked[option] ?? ''), [...known, ...Object.values(words).flat()]);
  const meant = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `input.${option} is not a known word: ${INSTEAD[option]}. Known are ${known.join(', ')}.${meant}`;
}
