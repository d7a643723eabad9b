/** The summary of a submitted form, the title of an email, and the names of files. */

import { labelOf } from '../format.ts';
import { choiceNames, type FieldSpec, isChooseKind, isFileId, linesIn, type Values, wordsIn } from './field-spec.ts';

/** Names of the files shown in this tab, by id. */
export const fileNames = new Map<string, string>();

/** A value of the request in the words of the form, shown with the task. */
export type Fact = [name: string, text: string];
/** Without a title, the task was submitted elsewhere, and only facts about it are known in this tab. */
export type RequestSummary = { title: string; facts: Fact[] };
export type TitleOf = (values: Values) => string;

/** Omits labels, deliveries and priority, because the task itself shows them. */
export function requestSummary(fields: readonly FieldSpec[], values: Values, titleOf: TitleOf): RequestSummary {
  const facts = fields
    .filter(({ path, when }) => path.startsWith('input.') && (when?.(values) ?? true))
    .map((field): Fact => [field.label, textOf(field, values[field.path] ?? '')])
    .filter(([, text]) => text !== '');
  return { title: titleOf(values), facts };
}

function textOf({ kind, defaultValue, when, suggestions = [] }: FieldSpec, value: string): string {
  // A choice that is shown only in some cases counts even if it has its default.
  if (kind === 'choice') return labelOf(value || ((when && defaultValue) ?? ''));
  if (kind === 'flag') return value === 'true' ? 'yes' : '';
  if (kind === 'words')
    return wordsIn(value)
      .map((word) => (suggestions.includes(word) ? labelOf(word) : word))
      .join(', ');
  if (kind === 'files' || kind === 'documents')
    return linesIn(value)
      .map((id) => fileNames.get(id) ?? id)
      .join('\n');
  if (isChooseKind(kind))
    return linesIn(value)
      .map((id) => choiceNames.get(id) ?? id)
      .join('\n');
  return value.trim();
}

const MAX_TITLE = 160;

/** The heading of a task's page: the beginning of what it was asked, on one line. */
export function headingOf(title: string): string {
  const line = title.trim().replaceAll(/\s+/g, ' ');
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE - 1).toWellFormed()}…` : line;
}

/** The names of documents in one line, as the service lists them. */
export function documentsTitle(value: string): string {
  const [firstName = '', ...otherNames] = linesIn(value).map(nameOfDocument);
  return otherNames.length === 0 ? firstName : `${firstName} and ${otherNames.length} more`;
}

function nameOfDocument(entry: string): string {
  if (isFileId(entry)) return fileNames.get(entry) ?? 'A stored file';
  const path = URL.parse(entry)?.pathname ?? '';
  return path.slice(path.lastIndexOf('/') + 1) || entry;
}

/** An email in one line: subject, recipients and time. */
export function mailTitle(values: Values): string {
  const text = (name: string) => (values[`input.${name}`] ?? '').trim();
  const [firstRecipient = '', ...otherRecipients] = linesIn(text('content.recipients'));
  const what = text('content.subject') || labelOf(text('notification_type') || 'digest');
  return `${what} to ${firstRecipient}${otherRecipients.length > 0 ? ` and ${otherRecipients.length} more` : ''}, ${whenOf((name) => text(`schedule.${name}`))}`;
}

/** As the service lists it. */
export const previewTitle = (title: string): string => `Preview: ${title}`;

function whenOf(text: (name: string) => string): string {
  const frequency = text('frequency');
  const isOnce = frequency === '' || frequency === 'once';
  if (isOnce && (frequency === '' || text('time') === '')) return 'once';
  const day =
    { weekly: ` on ${labelOf(text('day_of_week'))}`, monthly: ` on day ${text('day_of_month') || 1}` }[frequency] ?? '';
  return `${frequency}${day} at ${text('time') || '09:00:00'}, ${text('timezone') || 'UTC'}`;
}
