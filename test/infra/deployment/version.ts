/** A version of an ephemeral stage: its template, resolved, and all that the CDK uploads for it. */
import { join } from 'node:path';
import { resolve } from '../../evidence/rehearsal/stack/resolve.ts';
import {
  ACCOUNT,
  createdResource,
  idOfImagined,
  idsOf,
  imaginedResource,
  type Look,
  REGION,
  type Template,
} from '../../evidence/rehearsal/stack/template.ts';
import { templateOf } from '../stack.ts';

export type Statement = {
  Action: string | string[];
  Principal?: { AWS?: string };
  Condition?: { StringEquals?: Record<string, string[]> };
};
type Policy = { PolicyDocument: { Statement: Statement[] }; Roles?: string[] };
type LambdaFunction = { Code: { S3Key: string }; Role: string; Layers?: string[] };

export type Version = ReturnType<typeof synthesize>;

export function synthesize(folder: string, bundles: string) {
  const template = templateOf(folder, 'branch', bundles).toJSON() as Template;
  const look = lookIn(template);

  const properties = async <Properties>(id: string) =>
    (await resolve(template.Resources[id]?.Properties, look)) as Properties;

  const all = async <Properties>(type: string) =>
    Promise.all(idsOf(template, type).map(async (id) => ({ id, properties: await properties<Properties>(id) })));

  /**
   * What a role may do. moto reads no bucket policy for a role, so the statements that name the role become its own. AWS
   * needs only one of the two within an account.
   */
  async function statementsOf(roleArn: string): Promise<Statement[]> {
    const policies = await all<Policy>('AWS::IAM::Policy');
    const ofBuckets = await all<Policy>('AWS::S3::BucketPolicy');
    return [
      ...policies
        .filter(({ properties: { Roles = [] } }) => Roles.some((id) => arnOfRole(id) === roleArn))
        .flatMap(({ properties: { PolicyDocument } }) => PolicyDocument.Statement),
      ...ofBuckets
        .flatMap(({ properties: { PolicyDocument } }) => PolicyDocument.Statement)
        .filter(({ Principal }) => Principal?.AWS === roleArn)
        .map(({ Principal: _, ...statement }) => statement),
    ];
  }

  /** The archive of an asset, or the folder that the CDK makes the archive of. */
  const assetPath = (file: string): string => join(folder, 'branch', `asset.${file}`);
  const assetFolder = (key: string): string => assetPath(key.replace(/\.zip$/, ''));

  async function functionOf({ ServiceToken }: { ServiceToken: string }) {
    const { Code, Role, Layers = [] } = await properties<LambdaFunction>(idOfImagined(ServiceToken));
    const layers = Layers.map((id) => properties<{ Content: { S3Key: string } }>(id));
    return {
      code: assetFolder(Code.S3Key),
      statements: await statementsOf(Role),
      layers: (await Promise.all(layers)).map(({ Content }) => assetPath(Content.S3Key)),
    };
  }

  return { all, assetFolder, functionOf };
}

export const bucketName = (id: string): string => id.toLowerCase();
const arnOfRole = (id: string): string => `arn:aws:iam::${ACCOUNT}:role/${id}`;

/** Buckets, roles and log groups are named like their logical ids. */
const lookIn =
  ({ Resources }: Template): Look =>
  async (id) => {
    const type = Resources[id]?.Type;
    if (type === 'AWS::S3::Bucket') return createdResource(bucketName(id), { Arn: `arn:aws:s3:::${bucketName(id)}` });
    if (type === 'AWS::IAM::Role') return createdResource(id, { Arn: arnOfRole(id) });
    if (type === 'AWS::Logs::LogGroup')
      return createdResource(id, { Arn: `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${id}:*` });
    return imaginedResource(id);
  };
