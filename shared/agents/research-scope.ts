/** The domains and days to which all sources are limited; both days are included. */

import { DAY_MS } from '../core/time.ts';
import { LAST, type ResearchInput } from './research-input.ts';

type Scope = { from?: string; to?: string; includeDomains?: string[]; excludeDomains?: string[] };

export const scopeOf = (input: ResearchInput, now: number): Scope => ({
  ...daysOf(input.time_range, now),
  ...(input.include_domains?.length ? { includeDomains: input.include_domains } : {}),
  ...(input.exclude_domains?.length ? { excludeDomains: input.exclude_domains } : {}),
});

/** Keeps items without a date, because opening the page may show one. */
export function isInScope(
  { url, publishedAt }: { url: string; publishedAt?: string | undefined },
  scope: Scope,
): boolean {
  const { includeDomains = [], excludeDomains = [], from, to } = scope;
  const hostname = URL.parse(url)?.hostname ?? '';
  const isIn = (domain: string) => hostname === domain.toLowerCase() || hostname.endsWith(`.${domain.toLowerCase()}`);
  if (includeDomains.length > 0 && !includeDomains.some(isIn)) return false;
  if (excludeDomains.some(isIn)) return false;
  if (publishedAt === undefined) return true;
  const day = publishedAt.slice(0, 10);
  return (from === undefined || day >= from.slice(0, 10)) && (to === undefined || day <= to.slice(0, 10));
}

function daysOf(range: ResearchInput['time_range'], now: number): Pick<Scope, 'from' | 'to'> {
  if (range == null) return {};
  if (typeof range === 'string') return { from: new Date(now - LAST[range] * DAY_MS).toISOString().slice(0, 10) };
  return { ...(range.from == null ? {} : { from: range.from }), ...(range.to == null ? {} : { to: range.to }) };
}
