/** A day as people of a language write it. */
import { plainLine } from '../charts/tidy-chart.ts';

const MAX_DATE_LENGTH = 40;

/** What is no instant is shown as it was given. In English the day comes first, as it does in mails. */
export function showDate(instant: string, language: string): string {
  const date = new Date(instant);
  if (Number.isNaN(date.getTime())) return plainLine(instant, MAX_DATE_LENGTH);
  return new Intl.DateTimeFormat(/^en\b/i.test(language) ? 'en-GB' : language, {
    dateStyle: 'long',
    timeZone: 'UTC',
  }).format(date);
}
