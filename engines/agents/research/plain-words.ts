/** Words as callers write them: `in-depth`, `market_overview`, `Market overview`. */

export const plainWords = (text: string): string => text.replaceAll(/[\s_]+/g, ' ').trim();

export const keyOf = (text: string): string =>
  text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');
