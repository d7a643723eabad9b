/** The policies of a template, each with the resources or roles that it is attached to. */
import type { Any } from '../../support/any.ts';
import { type AccessRequest, isAllowed, type PolicyStatement } from './evaluate.ts';
import { arnOf, type ResolvedTemplate } from './resolved-template.ts';

/** `kind` tells which removals must be noticed: the policies of functions' roles are held by the rehearsal. */
export type AttachedStatement = {
  kind: 'resource' | 'trust' | 'identity';
  /** The logical id of the resource that holds the statement. */
  holder: string;
  /** The ARN of the role of an identity policy. */
  role?: string;
  statement: PolicyStatement;
};

const statementsOf = (document: Any): PolicyStatement[] => [document?.Statement ?? []].flat();

export function attachedStatements(template: ResolvedTemplate): AttachedStatement[] {
  return Object.entries(template).flatMap(([holder, { Type, Properties }]): AttachedStatement[] => {
    const attach = (kind: AttachedStatement['kind'], statements: PolicyStatement[], role?: string) =>
      statements.map((statement) => ({ kind, holder, statement, ...(role === undefined ? {} : { role }) }));
    switch (Type) {
      case 'AWS::SNS::TopicPolicy':
      case 'AWS::SQS::QueuePolicy':
      case 'AWS::S3::BucketPolicy':
        return attach('resource', statementsOf(Properties.PolicyDocument));
      case 'AWS::Lambda::Permission':
        return attach('resource', [permissionStatement(Properties)]);
      case 'AWS::IAM::Policy':
        return Properties.Roles.flatMap((role: string) =>
          attach('identity', statementsOf(Properties.PolicyDocument), arnOf(template, role)),
        );
      case 'AWS::IAM::Role': {
        const Resource = arnOf(template, holder);
        const trust = statementsOf(Properties.AssumeRolePolicyDocument).map((each) => ({ ...each, Resource }));
        const inline = (Properties.Policies ?? []).flatMap((policy: Any) => statementsOf(policy.PolicyDocument));
        return [...attach('trust', trust), ...attach('identity', inline, Resource)];
      }
      default:
        return [];
    }
  });
}

const permissionStatement = ({ Action, FunctionName, Principal, SourceArn, SourceAccount }: Any): PolicyStatement => ({
  Effect: 'Allow',
  Principal: { Service: Principal },
  Action,
  Resource: FunctionName,
  Condition: {
    ...(SourceArn ? { ArnLike: { 'aws:SourceArn': SourceArn } } : {}),
    ...(SourceAccount ? { StringEquals: { 'aws:SourceAccount': SourceAccount } } : {}),
  },
});

export const isAllowedBy = (request: AccessRequest, statements: readonly AttachedStatement[]): boolean =>
  isAllowed(request, {
    resource: statements.filter(({ kind }) => kind !== 'identity').map(({ statement }) => statement),
    identity: statements
      .filter(({ kind, role }) => kind === 'identity' && role === request.principal)
      .map(({ statement }) => statement),
  });
