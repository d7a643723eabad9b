/** The labelled cases: addresses with their DNS answers and the redirects that follow. */
import { readFileSync } from 'node:fs';

export type EgressCase = {
  id: string;
  class: string;
  url: string;
  why: string;
  expect: 'allow' | 'refuse';
  /** The answers of the first look-up, of the second, and so on. */
  dns?: Record<string, string[][] | 'SERVFAIL' | 'TIMEOUT'>;
  forceSecondLookup?: boolean;
  afterPooledSocket?: boolean;
  redirects?: { status: number; location: string }[];
};

export const EGRESS_CASES: readonly EgressCase[] = JSON.parse(
  readFileSync(new URL('egress-cases.json', import.meta.url), 'utf8'),
);
