/** Days, lists and counts in the words of an e-mail. */

export const dayOf = (at: string | number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: zone }).format(
    new Date(at),
  );

/** Joins names as in `a, b and c`. */
export const nameList = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

export const countLabel = (count: number, singular: string, plural = `${singular}s`): string =>
  `${count} ${count === 1 ? singular : plural}`;

/** Why the recipient gets the e-mail, in its last line. `name`: of the organization. */
export const mailReason = (name: string): string =>
  `You get this e-mail because ${name || 'an organization'} added your address to a notification.`;
