/** The summary of a submitted form, the title of a mail, and the names of files. */

import { named } from '../format.ts';
import { choiceNames, type FieldSpec, isChooseKind, linesIn, type Values, wordsIn } from './field-spec.ts';

/** Names of the files shown in this tab, by id. */
export const fileNames = new Map<string, string>();

/** What a form asks for, in the words of the form, to be shown with the task that comes of it. */
export type Fact = [name: string, text: string];
/** Without a title it was asked elsewhere, and only something about it was said here. */
export type AskedHere = { title: string; facts: Fact[] };
export type TitleOf = (values: Values) => string;

/** The task itself shows labels, deliveries and priority. */
export function askedOf(fields: readonly FieldSpec[], values: Values, titleOf: TitleOf): AskedHere {
  const facts = fields
    .filter(({ path, when }) => path.startsWith('input.') && (when?.(values) ?? true))
    .map((field): Fact => [field.label, textOf(field, values[field.path] ?? '')])
    .filter(([, text]) => text !== '');
  return { title: titleOf(values), facts };
}

function textOf({ kind, defaultValue, when, suggestions = [] }: FieldSpec, value: string): string {
  // What is asked for only in some cases counts there, chosen or not.
  if (kind === 'choice') return named(value || ((when && defaultValue) ?? ''));
  if (kind === 'flag') return value === 'true' ? 'yes' : '';
  if (kind === 'words')
    return wordsIn(value)
      .map((word) => (suggestions.includes(word) ? named(word) : word))
      .join(', ');
  if (kind === 'files')
    return linesIn(value)
      .map((id) => fileNames.get(id) ?? id)
      .join('\n');
  if (isChooseKind(kind))
    return linesIn(value)
      .map((id) => choiceNames.get(id) ?? id)
      .join('\n');
  return value.trim();
}

/** A mail in one line: what, to whom, and when. */
export function mailTitle(values: Values): string {
  const text = (name: string) => (values[`input.${name}`] ?? '').trim();
  const [first = '', ...others] = linesIn(text('content.recipients'));
  const what = text('content.subject') || named(text('notification_type') || 'digest');
  return `${what} to ${first}${others.length > 0 ? ` and ${others.length} more` : ''}, ${whenOf((name) => text(`schedule.${name}`))}`;
}

function whenOf(text: (name: string) => string): string {
  const frequency = text('frequency');
  const isOnce = frequency === '' || frequency === 'once';
  if (isOnce && (frequency === '' || text('time') === '')) return 'once';
  const day =
    { weekly: ` on ${named(text('day_of_week'))}`, monthly: ` on day ${text('day_of_month') || 1}` }[frequency] ?? '';
  return `${frequency}${day} at ${text('time') || '09:00:00'}, ${text('timezone') || 'UTC'}`;
}
