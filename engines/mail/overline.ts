/** What stands above a heading: the kind of mail, if the heading itself is not just that, and the day. */
import type { Email } from './letter.ts';

export const overline = ({ kind, heading, date }: Email, shown = (words: string) => words): string =>
  [...(kind === heading ? [] : [shown(kind)]), date].join(' · ');
