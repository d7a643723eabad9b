/** Rules about roles and permissions. */
import type { Any } from '../../support/any.ts';
import { breaches, first, of, type Rule, statements, text } from './rule.ts';

/** Actions that must be alone in their statement. */
const KNOWS_NO_RESOURCE = ['scheduler:ListSchedules'];

/** The calling service, and the resource of the stack that it calls for. */
const CALLERS: Record<string, RegExp> = {
  'apigateway.amazonaws.com': /Ref":"\w+Api/,
  'events.amazonaws.com': /GetAtt":\["MailsOnBounce\w+","Arn"\]/,
};

export const ROLES: Rule[] = [
  {
    says: 'roles of functions hold no policy of others',
    faults: (template) =>
      breaches(
        of(template, 'AWS::IAM::Role'),
        (p, id) => p.ManagedPolicyArns && !/^(CustomS3AutoDelete|SocketLoggingRole)/.test(id),
      ),
    spoil: (template) => {
      const [, role] = of(template, 'AWS::IAM::Role').find(([id]) => id.startsWith('SocketFunction')) ?? [];
      if (role) role.Properties.ManagedPolicyArns = ['arn:aws:iam::aws:policy/X'];
    },
  },
  {
    says: 'roles name their actions',
    faults: (template) =>
      statements(template).flatMap(([id, { Action }]) => ([Action].flat().some((a) => a.includes('*')) ? [id] : [])),
    spoil: (template) => (first(template, 'AWS::IAM::Policy').PolicyDocument.Statement[0].Action = 's3:*'),
  },
  {
    says: 'roles reach nothing by a bare star',
    faults: (template) =>
      statements(template).flatMap(([id, { Action, Resource }]) =>
        [Resource].flat().includes('*') && !KNOWS_NO_RESOURCE.includes([Action].flat().join()) ? [id] : [],
      ),
    spoil: (template) => (first(template, 'AWS::IAM::Policy').PolicyDocument.Statement[0].Resource = '*'),
  },
  {
    says: 'roles are taken by services, and by no other account',
    faults: (template) =>
      breaches(of(template, 'AWS::IAM::Role'), ({ AssumeRolePolicyDocument: { Statement } }) =>
        Statement.some(({ Principal }: Any) => Object.keys(Principal).join() !== 'Service'),
      ),
    spoil: (template) => {
      const [statement] = first(template, 'AWS::IAM::Role').AssumeRolePolicyDocument.Statement;
      statement.Principal = { AWS: '*' };
    },
  },
  {
    says: 'functions are called only for an API or an event rule of the stack',
    faults: (template) =>
      breaches(
        of(template, 'AWS::Lambda::Permission'),
        ({ Principal, SourceArn }) => !CALLERS[Principal]?.test(text(SourceArn ?? '')),
      ),
    spoil: (template) => delete first(template, 'AWS::Lambda::Permission').SourceArn,
  },
];
