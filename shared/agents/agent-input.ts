/** The input of any background agent, by type, and warnings about options without an effect. */

import type * as v from 'valibot';
import type { Organization } from '../accounts/organizations.ts';
import { nearestName } from '../core/nearest-name.ts';
import { inside, type OpenWord, sameWord } from './field-schemas.ts';
import { MAIL_FORMATS, type NotificationInput, notificationInput } from './notification-input.ts';
import { faultOfCondition, notificationWarnings } from './notification-warnings.ts';
import {
  type FaultOfDocument,
  mayAskModel,
  OUTPUT_FORMATS,
  PROCESSING_TYPES,
  type ProcessingInput,
  processingInput,
  processingTypeOf,
} from './processing-input.ts';
import { RESEARCH_FORMATS, type ResearchInput, researchInput, unknownOptions } from './research-input.ts';
import { DEFAULT_ANALYSIS_DEPTH, DEFAULT_DEPTH, RESEARCH_OPTIONS, wordKey } from './research-options.ts';

/** The three kinds of background agents and their stages. */
export const TASK_TYPES = ['research_agent', 'processing_agent', 'notification_agent'] as const;
export type TaskType = (typeof TASK_TYPES)[number];

/** The task's item contains these names, which limits their length: test/shared/tasks/row-size.test.ts. */
export const STAGES = {
  research_agent: ['planning', 'gathering', 'ranking', 'reading', 'writing'],
  processing_agent: ['reading', 'asking', 'writing'],
  notification_agent: ['gathering', 'composing', 'sending', 'reporting'],
} as const satisfies Record<TaskType, readonly [string, ...string[]]>;

/** The sources that every task may name. */
export const KNOWN_SOURCES: readonly string[] = ['financial_reports', 'market_data', 'news_feeds'];
/** The source of the attached files. The sources that a task may name have no space in their names. */
export const STORED_FILES = 'stored files';
/** The source of the hits of a search provider. */
export const WEB_SEARCH = 'web search';

/** The input of a background agent: the caller's request, and the model to use. */
export type AgentRequest = {
  research_agent: ResearchInput;
  processing_agent: ProcessingInput;
  notification_agent: NotificationInput;
};

export type AgentInput<T extends TaskType = TaskType> = {
  model: string;
  /** The model for short work, unless the submission names a model. */
  cheapModel?: string;
  /** Answers while another model is away for long. */
  standbyModel?: string;
  /** Looks a second time at what the model answers. */
  verifyModel?: string;
  asked: AgentRequest[T];
  /** Of a notification: the e-mail is composed and shown, and nobody gets it. */
  preview?: true;
  /** The hosts of our APIs at submission, which are never fetched. */
  ownHosts?: string[];
  /** `false`: the organization stores no texts of cited sources. */
  snapshots?: false;
};

type Models = Pick<AgentInput, 'model' | 'cheapModel'>;

/** The models that a task calls; the prices of other models do not matter to its budget. */
const CALLED_MODELS: { [T in TaskType]: (models: Models, request: AgentRequest[T]) => string[] } = {
  research_agent: ({ model, cheapModel }) => [model, ...(cheapModel === undefined ? [] : [cheapModel])],
  processing_agent: ({ model }, request) => (mayAskModel(request) ? [model] : []),
  notification_agent: ({ model, cheapModel }) => [cheapModel ?? model],
};

export const calledModels = <T extends TaskType>(type: T, models: Models, request: AgentRequest[T]): string[] =>
  CALLED_MODELS[type](models, request);

/** `sources`: the names of sources that the task may refer to. */
export type InputOptions = { sources: readonly string[]; faultOfDocument: FaultOfDocument };

const SCHEMAS: { [T in TaskType]: (accepts: InputOptions) => v.GenericSchema<unknown, AgentRequest[T]> } = {
  research_agent: ({ sources }) => researchInput(sources),
  processing_agent: ({ faultOfDocument }) => processingInput(faultOfDocument),
  notification_agent: ({ sources }) => notificationInput(sources),
};

/** For an unknown type it only checks that the input is an object. */
export const agentRequestSchema = (
  type: TaskType | undefined,
  accepts: InputOptions,
): v.GenericSchema<unknown, AgentRequest[TaskType]> =>
  type === undefined
    ? (inside({}) as unknown as v.GenericSchema<unknown, AgentRequest[TaskType]>)
    : SCHEMAS[type](accepts);

/** `hasLanguageModel`: whether a model that the task calls writes text. */
export const optionWarnings = <T extends TaskType>(
  type: T,
  request: AgentRequest[T],
  hasLanguageModel: boolean,
): string[] => WARNINGS[type](request, hasLanguageModel);

/** The fields of a valid submission that need a language model where the task calls none, each with its reason. */
export function modelFaults(type: TaskType, request: AgentRequest[TaskType], hasLanguageModel: boolean) {
  const fault =
    type === 'notification_agent' ? faultOfCondition(request as NotificationInput, hasLanguageModel) : undefined;
  return fault === undefined ? undefined : { 'input.content.condition': fault };
}

/** The sources that a task may name: those of every organization, and the organization's own. */
export const validSources = (organization: Pick<Organization, 'sources'> | undefined): string[] => [
  ...new Set([...KNOWN_SOURCES, ...(organization?.sources ?? [])]),
];

/** Warns of options in a valid submission that do not have the effect a caller may expect. */
const WARNINGS: { [T in TaskType]: (request: AgentRequest[T], hasLanguageModel: boolean) => string[] } = {
  research_agent: (request) => [
    ...unknownOptions(request).map((option) => unknownOption(option, request)),
    ...unknownFormat('input.output_format', request.output_format, RESEARCH_FORMATS),
  ],
  processing_agent: (request) => [
    ...processingWarnings(request),
    ...unknownFormat('input.output_format', request.output_format, OUTPUT_FORMATS),
  ],
  notification_agent: (request, hasLanguageModel) => [
    ...notificationWarnings(request, hasLanguageModel),
    ...unknownFormat('input.content.format', request.content.format, MAIL_FORMATS),
  ],
};

function unknownFormat(
  field: string,
  value: string | null | undefined,
  { choices, fallback }: OpenWord<string>,
): string[] {
  if (value == null || sameWord(choices, value) !== undefined) return [];
  return [
    `${field} is not a known word: ${fallback} is used. Known are ${choices.join(', ')}.${hintOf(value, choices)}`,
  ];
}

function hintOf(value: string, choices: readonly string[]): string {
  const nearest = nearestName(value, choices);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

function processingWarnings(request: ProcessingInput): string[] {
  const { processing_type: requestedType, processing_options: options, documents } = request;
  const type = processingTypeOf(requestedType);
  const isUnknown = requestedType != null && type !== requestedType.trim().toLowerCase();
  const unused = (['length', 'labels'] as const).filter(
    (option) => options?.[option] != null && type !== (option === 'length' ? 'summarization' : 'classification'),
  );
  return [
    ...(isUnknown
      ? [`input.processing_type is not a known word: it works as extraction. Known are ${PROCESSING_TYPES.join(', ')}.`]
      : []),
    ...unused.map((option) => `input.processing_options.${option} has no effect on ${type}.`),
    ...(type === 'comparison' && documents.length < 2
      ? ['input.documents has one document: a comparison needs at least two.']
      : []),
  ];
}

const INSTEAD = {
  research_type: 'its words are added to the search queries',
  depth: `${DEFAULT_DEPTH} is used`,
  analysis_depth: `${DEFAULT_ANALYSIS_DEPTH} is used`,
};

function unknownOption(option: keyof typeof INSTEAD, request: ResearchInput): string {
  const words = RESEARCH_OPTIONS[option];
  const choices = Object.keys(words);
  const hint = hintOf(wordKey(request[option] ?? ''), [...choices, ...Object.values(words).flat()]);
  return `input.${option} is not a known word: ${INSTEAD[option]}. Known are ${choices.join(', ')}.${hint}`;
}
