/** A mail in one line: what, to whom, and when. */
import { named } from '../format.ts';
import { linesIn, type Values } from './field-spec.ts';

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
