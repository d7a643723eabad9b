/** Whether a role lets a call through, as IAM decides it: what is denied is refused, what nobody allows too. */
import type { Statement } from '../stack/statements.ts';

/** What a call asks for. */
export type Need = { action: string; resource: string; from?: string };

export function allows(statements: Statement[], need: Need): boolean {
  const fitting = statements.filter((statement) => covers(statement, need));
  return fitting.length > 0 && fitting.every(({ effect }) => effect === 'Allow');
}

const covers = ({ actions, resources, from }: Statement, { action, resource, from: sender }: Need): boolean =>
  (from === undefined || from === sender) &&
  actions.some((pattern) => fits(pattern.toLowerCase(), action.toLowerCase())) &&
  resources.some((pattern) => fits(pattern, resource));

/** `*` stands for any characters, slashes and colons among them, `?` for one. */
export function fits(pattern: string, text: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(text);
}
