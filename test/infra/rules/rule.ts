/** A rule over the synthesized template: it says what breaks it, and is shown a template that does. */
import type { Any } from '../../any.ts';

type Made = { Type: string; Properties: Any; DeletionPolicy?: string };
export type Template = { Resources: Record<string, Made> };
type Stage = { isKept: boolean };

export type Rule = {
  says: string;
  /** What breaks it, each by the name of the resource. */
  faults(template: Template, stage: Stage): string[];
  /** Breaks it. */
  spoil(template: Template, stage: Stage): void;
};

export const of = (template: Template, type: string): [string, Made][] =>
  Object.entries(template.Resources).filter(([, { Type }]) => Type === type);
/** Not the functions that the CDK brings: to empty a bucket, and to fill one. */
export const functions = (template: Template) =>
  of(template, 'AWS::Lambda::Function').filter(([id]) => !/^Custom(S3AutoDelete|CDKBucketDeployment)/.test(id));
export const first = (template: Template, type: string): Any => of(template, type)[0]?.[1].Properties;
export const broken = (found: [string, Made][], isBroken: (properties: Any, id: string) => unknown): string[] =>
  found.flatMap(([id, { Properties }]) => (isBroken(Properties, id) ? [id] : []));
export const isBuried = ([id]: [string, Made]) => id.includes('DeadLetters');
export const queues = (template: Template) => of(template, 'AWS::SQS::Queue').filter((each) => !isBuried(each));
export const text = (value: unknown) => JSON.stringify(value);
export const refOf = (arn: Any): string => arn?.['Fn::GetAtt']?.[0] ?? arn?.Ref ?? '';
export const statements = (template: Template): [string, Any][] =>
  of(template, 'AWS::IAM::Policy').flatMap(([id, { Properties }]) =>
    Properties.PolicyDocument.Statement.map((each: Any): [string, Any] => [id, each]),
  );

/** Of a property that must be so on every resource of a type. */
export const every = (says: string, type: string, o: { isRight(p: Any): boolean; spoil(p: Any): void }): Rule => ({
  says,
  faults: (template) => {
    const all = of(template, type);
    return all.length === 0 ? [`no ${type}`] : broken(all, (p) => !o.isRight(p));
  },
  spoil: (template) => o.spoil(first(template, type)),
});

export const eachFunction = (says: string, o: { isRight(p: Any): boolean; spoil(p: Any): void }): Rule => ({
  says,
  faults: (template) => broken(functions(template), (p) => !o.isRight(p)),
  spoil: (template) => o.spoil(functions(template)[0]?.[1].Properties),
});
