/** The header that tells what of a request had no effect: a JSON array of texts, in ASCII. */
import type { RouteAnswer } from './route.ts';

const WARNINGS_HEADER = 'x-errand-warnings';

export function withWarnings(answer: RouteAnswer, warnings: readonly string[]): RouteAnswer {
  if (warnings.length === 0) return answer;
  return { ...answer, headers: { ...answer.headers, [WARNINGS_HEADER]: inAscii(JSON.stringify(warnings)) } };
}

const inAscii = (json: string): string =>
  json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
