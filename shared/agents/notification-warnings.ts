/** Why the condition of a notification cannot be judged, and which of its options have no effect. */

import { hasSources, type NotificationInput } from './notification-input.ts';
import { isAlert } from './notification-kind.ts';

/** Why the condition cannot be judged by the models that the task calls; undefined if it can. */
export const faultOfCondition = ({ content }: NotificationInput, hasLanguageModel: boolean): string | undefined =>
  typeof content.condition === 'string' && !hasLanguageModel
    ? 'is a sentence, which needs a language model: name one in input.model, or write a figure with above or below'
    : undefined;

/** Warns of options in a valid submission that do not have the effect a caller may expect. */
export const notificationWarnings = (
  { notification_type: type, content }: NotificationInput,
  hasLanguageModel: boolean,
): string[] => [
  ...(isAlert(type ?? '') && content.condition == null ? [ALERT_WITHOUT_CONDITION] : []),
  ...(content.instructions == null ? [] : unusedInstructions(content, hasLanguageModel)),
];

const ALERT_WITHOUT_CONDITION =
  'input.notification_type is an alert without a condition: it is sent as a digest, whatever the sources say. ' +
  'State in input.content.condition when it is to be sent: a sentence, or a figure with above or below.';

function unusedInstructions(content: NotificationInput['content'], hasLanguageModel: boolean): string[] {
  if (!hasLanguageModel)
    return [
      'input.content.instructions had no effect: without a language model nothing is chosen or merged. Name one in input.model.',
    ];
  return hasSources(content) || content.subject == null
    ? []
    : [
        'input.content.instructions had no effect: there are no items to choose from and the subject is set. Name input.content.data_sources.',
      ];
}
