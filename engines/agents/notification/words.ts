/** How things are called in mails. */

/** `market_data` -> `Market data`. */
export function sourceTitle(name: string): string {
  const words = name.replaceAll(/[_-]+/g, ' ').trim();
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
}

export const dayOf = (at: string | number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: zone }).format(
    new Date(at),
  );

export const longDay = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone: zone }).format(at);

export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** `a, b and c`. */
export const listed = (names: readonly string[]): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
