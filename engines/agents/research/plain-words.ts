/** Words as callers write them: `in-depth`, `market_overview`, `Market overview`. */

export const plainWords = (text: string): string => text.replaceAll(/[\s_]+/g, ' ').trim();
