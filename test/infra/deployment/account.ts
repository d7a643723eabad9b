/** An AWS account with buckets and roles, on a moto of its own: IAM is enforced for all requests or for none. */
import { randomUUID } from 'node:crypto';
import { S3Client } from '@aws-sdk/client-s3';
import { connection } from '../../evidence/rehearsal/stack/connection.ts';
import { ACCOUNT, REGION } from '../../evidence/rehearsal/stack/template.ts';
import { end } from '../../support/emulators/emulator.ts';
import { startMoto } from '../../support/emulators/start.ts';
import type { Statement } from './version.ts';

/** The environment variables of temporary credentials. */
export type Session = Record<'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN', string>;

export async function openAccount() {
  const { url, ...moto } = await startMoto();
  const s3 = new S3Client(connection(url));

  async function query(service: 'iam' | 'sts', parameters: Record<string, string>): Promise<string> {
    const scope = `test/20260101/${REGION}/${service}/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`;
    const body = new URLSearchParams(parameters);
    const response = await fetch(url, { method: 'POST', headers: { authorization }, body });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  /** Creates a role that may do what the statements say, and assumes it. */
  async function assumeRole(statements: Statement[]): Promise<Session> {
    const RoleName = randomUUID();
    const policyOf = (Statement: Statement[]) => JSON.stringify({ Version: '2012-10-17', Statement });
    await query('iam', { Action: 'CreateRole', RoleName, AssumeRolePolicyDocument: policyOf([]) });
    const policy = { PolicyName: 'template', PolicyDocument: policyOf(statements) };
    await query('iam', { Action: 'PutRolePolicy', RoleName, ...policy });
    const names = { RoleArn: `arn:aws:iam::${ACCOUNT}:role/${RoleName}`, RoleSessionName: 'session' };
    const answer = await query('sts', { Action: 'AssumeRole', ...names });
    const textOf = (element: string): string => new RegExp(`<${element}>(.+)</${element}>`).exec(answer)?.[1] ?? '';
    return {
      AWS_ACCESS_KEY_ID: textOf('AccessKeyId'),
      AWS_SECRET_ACCESS_KEY: textOf('SecretAccessKey'),
      AWS_SESSION_TOKEN: textOf('SessionToken'),
    };
  }

  async function enforcingIam<T>(work: () => Promise<T>): Promise<T> {
    // The number of requests that moto accepts before it enforces IAM.
    const acceptFirst = (requests: string) => fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body: requests });
    await acceptFirst('0');
    try {
      return await work();
    } finally {
      await acceptFirst('inf');
    }
  }

  async function close(): Promise<void> {
    s3.destroy();
    await end({ url, ...moto });
  }

  return { url, s3, assumeRole, enforcingIam, close };
}
