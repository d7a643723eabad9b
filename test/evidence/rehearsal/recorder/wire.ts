/** Parses a request to AWS: which service it is for, and whose credentials signed it. */
import type { IncomingMessage } from 'node:http';

export type Wire = {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: Record<string, string | undefined>;
  service: string;
  /** Session token of the credentials that signed the request. */
  token: string | undefined;
  /** Whether the signature is in the URL, so that any holder of the URL can use it. */
  isAddress: boolean;
};

/** `<key>/<day>/<region>/<service>/aws4_request` */
const SCOPE = /^[^/]+\/\d{8}\/[^/]+\/([^/]+)\/aws4_request$/;

/** An unsigned request counts as one to S3, because the other services accept only signed requests. */
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
