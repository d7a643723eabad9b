/** The policy statements of a function's role, in the form that the recorder checks. */
import { resolve } from './resolve.ts';
import { idsOf, type Look, type Template } from './template.ts';

/** `from`: the only sender address that a mail statement allows. */
export type Statement = { effect: 'Allow' | 'Deny'; actions: string[]; resources: string[]; from?: string };

type Written = {
  Effect: Statement['effect'];
  Action: string | string[];
  Resource: string | string[];
  Condition?: { StringEquals?: { 'ses:FromAddress'?: string } };
};
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

/** Throws on unknown elements, so that they cannot pass as an allowance. */
function statementOf(written: Written): Statement {
  const from = written.Condition?.StringEquals?.['ses:FromAddress'];
  const isKnown = from !== undefined && JSON.stringify(written.Condition) === conditionOn(from);
  const strange = Object.keys(written).filter((name) => !KNOWN.has(name) && !(name === 'Condition' && isKnown));
  if (strange.length > 0) throw new Error(`The rehearsal does not understand ${strange} in a statement of a role.`);
  const { Effect: effect, Action, Resource } = written;
  return { effect, actions: [Action].flat(), resources: [Resource].flat(), ...(from === undefined ? {} : { from }) };
}

/** The only condition that is supported. */
const conditionOn = (from: string): string => JSON.stringify({ StringEquals: { 'ses:FromAddress': from } });
