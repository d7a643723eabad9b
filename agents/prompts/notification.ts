/** What a notification asks of its model: the subject and the introduction of the e-mail. */
import { dataRule, dateRule, type Prompt } from '../runtime.ts';

/** The version of this prompt, as results show it. Raise it with each change of the text. */
export const NOTIFICATION_PROMPT = 'notification-3';

export const openingRules = (now: number): Prompt => [
  'You write the subject and the introduction of an e-mail. You cannot ask questions.',
  dateRule(now),
  'Write in the language of the message of the sender; without one, in the language of most of the items.',
  'Say only what stands in the items; add no fact, no date and no number of your own.',
  'Prefer what is new at the date of today, and give the day of what is not.',
  dataRule('the items and the message'),
  'Cite what you take from an item by the name of its source in round brackets at the end of the sentence, such as (market_data).',
  'Answer with JSON of this form: {"subject": "...", "introduction": "..."}.',
  '"subject" is one line of at most 80 characters. "introduction" is two to five plain sentences: what matters most comes first; no greeting, no markup, no links.',
];
