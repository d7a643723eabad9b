/** The context of the Files & Tasks dispatcher in tests: every caller is a member of one organization. */

import type { FilesContext } from '../../../functions/files-and-tasks/schema.ts';
import type { HttpRequestMessage } from '../../../functions/http/route.ts';

type Ports = Pick<FilesContext, 'table' | 'blobs' | 'clock' | 'ids' | 'log'>;

/** Default ports for submissions in tests about something else. */
export const IDLE = {
  hints: async () => undefined,
  admit: async () => undefined,
  faultOfEndpoint: () => undefined,
  faultOfDocument: () => undefined,
  serviceUrls: [],
  hasPrice: () => false,
  typicalDuration: async () => 0,
  readSnapshot: async () => ({ status: 200 }),
  vault: { seal: async () => 'sealed', open: async () => 'opened' },
  post: async () => ({ fault: 'unreachable' as const }),
};

export const apiContextOf = (at: Ports): FilesContext => ({
  ...at,
  origins: () => true,
  organizationOf: async () => undefined,
  keyOwner: async () => ({ organization: 'org', role: 'member', by: 'key' }),
  tokenOwner: async () => undefined,
  outbound: async () => 'failed',
  ...IDLE,
});

export const postOf = (json: object, key: string): HttpRequestMessage => ({
  method: 'POST',
  path: '/api/v1/files',
  query: new URLSearchParams(),
  headers: { 'x-api-key': 'any', 'content-type': 'application/json', 'idempotency-key': key },
  body: Buffer.from(JSON.stringify(json)),
  sourceAddress: '192.0.2.1',
  hosts: [],
});
