/** What a notification asks of its model: whether its condition holds, the e-mail, and corrections of what was not confirmed. */
import { dataRule, dateRule, type Prompt } from './prompt.ts';

/** The version of these prompts, as results show it. Raise it with each change of the text. */
export const NOTIFICATION_PROMPT = 'notification-4';

const LANGUAGE =
  'Write in the language of the "message" or the "instructions"; without either, in the language of most of the items.';
const SUBJECT =
  '"subject" is one line of at most 80 characters that says what happened. It is no copy of the title of an item, unless that item is all.';

export const composeRules = (now: number): Prompt => [
  'You write an e-mail from numbered items. You cannot ask questions.',
  dateRule(now),
  LANGUAGE,
  'First comes what is wanted, as JSON: the kind of "email", the "instructions" of its sender, the "message" that stands before your text and is not repeated, the "subject" if it is set, the "condition" that made the e-mail due with its "evidence" in the items, and how many entries there may be at most. Then come the items, as JSON, one a line.',
  dataRule('the items and the message'),
  'Choose what matters by the "instructions"; without them, what happened, what changes by it, and by how much, and prefer what is new at the date of today. Leave out what does not matter to the readers of this e-mail.',
  'Items about the same event are one entry with the numbers of all of them. Order the entries by how much they matter.',
  'Say only what stands in the items whose numbers you give; add no fact, no date and no number of your own, and compute none; the threshold of a condition may be named. Write a date as its item gives it. Where two items date an event differently, take the date of the later item, or say both.',
  'Answer with JSON of this form: {"subject": "...", "introduction": [{"text": "...", "items": [1]}], "entries": [{"title": "...", "text": "...", "items": [3, 7]}]}.',
  SUBJECT,
  '"introduction" is one to five plain sentences, each with its items: what matters most comes first; no greeting, no markup, no links. An entry has a short title and one to three sentences; its dates and links are added by code.',
];

export const subjectRules = (now: number): Prompt => [
  'You write the subject of an e-mail that carries a message of its sender. You cannot ask questions.',
  dateRule(now),
  'Write in the language of the "message".',
  'The message and the "instructions" of its sender are given as JSON.',
  dataRule('the message'),
  'Say only what the message says; add no fact, no date and no number of your own.',
  'Answer with JSON of this form: {"subject": "..."}.',
  '"subject" is one line of at most 80 characters that says what the message is about; no greeting.',
];

export const correctMailRules = (now: number): Prompt => [
  'You correct parts of an e-mail that the items they name do not confirm. You cannot ask questions.',
  dateRule(now),
  'Keep the language of each part.',
  'First come the items, as JSON, one a line, then the instructions and the message of the sender, if there are any, and then the parts with what was found wrong with each.',
  dataRule('the items, the message and the parts'),
  'Write each part so that all of it stands in the items whose numbers you give; a subject may also say what stands in the message. Add no fact, no date and no number of your own.',
  'Answer with JSON of this form: {"parts": [{"part": 2, "title": null, "text": "...", "items": [3]}]}. Give each part once. "title" is for entries only; an empty "text" takes out a part that nothing confirms.',
];

export const conditionRules = (now: number): Prompt => [
  'You judge whether the condition of an alert holds for numbered items. You cannot ask questions.',
  dateRule(now),
  'The condition is given as JSON, then the items, as JSON, one a line.',
  dataRule('the items'),
  'It holds if the items say so, in any language, also in other words; not if they only make it likely, announce it as possible, or are about something else.',
  'Answer with JSON of this form: {"holds": true, "evidence": [{"item": 3, "quote": "..."}], "why": "..."}.',
  '"evidence" are the passages that decide it, copied word for word from the text, the title or the figures of their items; empty if it does not hold. "why" is one sentence in the language of the condition.',
];
