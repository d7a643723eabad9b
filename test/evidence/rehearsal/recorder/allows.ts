/** Decides whether a role allows a call, as IAM does: an explicit deny wins, and calls without an allow are refused. */
import type { Statement } from '../stack/statements.ts';

/** The action and resource that a call needs. */
export type Need = { action: string; resource: string; from?: string };

export function allows(statements: Statement[], need: Need): boolean {
  const fitting = statements.filter((statement) => covers(statement, need));
  return fitting.length > 0 && fitting.every(({ effect }) => effect === 'Allow');
}

const covers = ({ actions, resources, from }: Statement, { action, resource, from: sender }: Need): boolean =>
  (from === undefined || from === sender) &&
  actions.some((pattern) => fits(pattern.toLowerCase(), action.toLowerCase())) &&
  resources.some((pattern) => fits(pattern, resource));

/** `*` matches any characters, including slashes and colons; `?` matches one character. */
export function fits(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}
