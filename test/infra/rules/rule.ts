/** A rule over the synthesized template: it lists violations, and is tested with a template that has one. */
import type { Any } from '../../support/any.ts';

type Made = { Type: string; Properties: Any; DeletionPolicy?: string };
export type Template = { Resources: Record<string, Made> };
/** `hasAlarms`: an address receives alarms. */
type Stage = {
  isKept: boolean;
  hasAlarms?: boolean;
  hasWebSocketLog?: boolean;
  reserves?: readonly string[];
  kmsKey?: string;
};

export type Rule = {
  says: string;
  /** The violations, each by the name of its resource. */
  faults(template: Template, stage: Stage): string[];
  /** Changes the template so that it violates the rule. */
  spoil(template: Template, stage: Stage): void;
};

export const of = (template: Template, type: string): [string, Made][] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
/** Without the CDK's own functions, which empty and fill buckets. */
export const functions = (template: Template) =>
  of(template, 'AWS::Lambda::Function').filter(([id]) => !/^Custom(S3AutoDelete|CDKBucketDeployment)/.test(id));
export const first = (template: Template, type: string): Any => of(template, type)[0]?.[1].Properties;
export const breaches = (found: [string, Made][], isBroken: (properties: Any, id: string) => unknown): string[] =>
  found.flatMap(([id, { Properties }]) => (isBroken(Properties, id) ? [id] : []));
export const isBuried = ([id]: [string, Made]) => id.includes('DeadLetters');
export const queues = (template: Template) => of(template, 'AWS::SQS::Queue').filter((each) => !isBuried(each));
export const text = (value: unknown) => JSON.stringify(value);
export const refOf = (arn: Any): string => arn?.['Fn::GetAtt']?.[0] ?? arn?.Ref ?? '';
export const statements = (template: Template): [string, Any][] =>
  of(template, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
    Properties.PolicyDocument.Statement.map((each: Any): [string, Any] => [id, each]),
  );

/** A rule about a property of every resource of a type. */
export const every = (says: string, type: string, o: { isRight(p: Any): boolean; spoil(p: Any): void }): Rule => ({
  says,
  faults: (template) => {
    const all = of(template, type);
    return all.length === 0 ? [`no ${type}`] : breaches(all, (p) => !o.isRight(p));
  },
  spoil: (template) => o.spoil(first(template, type)),
});

export const eachFunction = (says: string, o: { isRight(p: Any): boolean; spoil(p: Any): void }): Rule => ({
  says,
  faults: (template) => breaches(functions(template), (p) => !o.isRight(p)),
  spoil: (template) => o.spoil(functions(template)[0]?.[1].Properties),
});
