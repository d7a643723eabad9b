/** The statements of a function's role, as the recorder judges by them. */
import { resolve } from './resolve.ts';
import { idsOf, type Look, type Template } from './template.ts';

export type Statement = { effect: 'Allow' | 'Deny'; actions: string[]; resources: string[] };

type Written = { Effect: Statement['effect']; Action: string | string[]; Resource: string | string[] };
type Document = { Statement: Written[] };
type Policy = { PolicyDocument: Document; Roles?: string[] };
type Role = { ManagedPolicyArns?: string[]; Policies?: Policy[] };

export async function statementsOf(template: Template, role: string, look: Look): Promise<Statement[]> {
  const read = async (id: string): Promise<unknown> => resolve(template.Resources[id]?.Properties ?? {}, look);
  const { ManagedPolicyArns = [], Policies = [] } = (await read(role)) as Role;
  if (ManagedPolicyArns.length > 0) throw new Error(`The rehearsal does not know what ${ManagedPolicyArns} allow.`);
  const attached = (await Promise.all(idsOf(template, 'AWS::IAM::Policy').map(read))) as Policy[];
  const own = attached.filter(({ Roles = [] }) => Roles.includes(role));
  return [...Policies, ...own].flatMap(({ PolicyDocument }) => PolicyDocument.Statement.map(statementOf));
}

const KNOWN = new Set(['Sid', 'Effect', 'Action', 'Resource']);

/** What is not understood must not pass for an allowance. */
function statementOf(written: Written): Statement {
  const strange = Object.keys(written).filter((name) => !KNOWN.has(name));
  if (strange.length > 0) throw new Error(`The rehearsal does not understand ${strange} in a statement of a role.`);
  return { effect: written.Effect, actions: [written.Action].flat(), resources: [written.Resource].flat() };
}
