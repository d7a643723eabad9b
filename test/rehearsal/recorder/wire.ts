/** A request to AWS as it comes over the wire: which service it is for, and whose credentials signed it. */
import type { IncomingMessage } from 'node:http';

export type Wire = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  service: string;
  /** Of the credentials that signed it. */
  token: string | undefined;
  /** Signed in its address, so that anybody may hold it. */
  isAddress: boolean;
};

/** `<key>/<day>/<region>/<service>/aws4_request` */
const SCOPE = /^[^/]+\/\d{8}\/[^/]+\/([^/]+)\/aws4_request$/;

/** What nobody signed can only be meant for S3: the others take no such request. */
export function wireOf(request: IncomingMessage): Wire {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://aws');
  const headers = request.headers as Record<string, string | undefined>;
  const isAddress = query.has('X-Amz-Credential');
  const scope = isAddress
    ? query.get('X-Amz-Credential')
    : /Credential=([^,\s]+)/.exec(headers.authorization ?? '')?.[1];
  return {
    method: request.method ?? 'GET',
    path: pathname,
    query,
    headers,
    service: SCOPE.exec(scope ?? '')?.[1] ?? 's3',
    token: (isAddress ? query.get('X-Amz-Security-Token') : headers['x-amz-security-token']) ?? undefined,
    isAddress,
  };
}
