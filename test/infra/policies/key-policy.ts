/** The statements of docs/operations/deploy.md that the customer adds to the policy of the key, attached to one key. */
import { readFileSync } from 'node:fs';
import type { PolicyStatement } from './evaluate.ts';
import type { AttachedStatement } from './policies-of-template.ts';
import { ACCOUNT, REGION } from './resolved-template.ts';

const [, documented = ''] =
  /```json\n(\[\n[\s\S]*?)\n```/.exec(readFileSync('docs/operations/deploy.md', 'utf8')) ?? [];

/** Without that for the account, which says only that the policies of roles count. */
export const keyPolicy = (key: string): AttachedStatement[] =>
  (JSON.parse(documented.replaceAll('REGION', REGION).replaceAll('ACCOUNT', ACCOUNT)) as PolicyStatement[])
    .filter(({ Principal }) => !JSON.stringify(Principal).includes(':root'))
    .map((statement) => ({ kind: 'resource', holder: 'key', statement: { ...statement, Resource: key } }));
