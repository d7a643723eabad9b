/** A bucket of S3: requests about one object, and addresses that stand for one. */

import { regionHost } from './account.ts';
import type { AwsConnection } from './json-services.ts';
import { type AwsAnswer, type AwsRequest, awsRequester, pathBehind } from './request.ts';
import { encoded, signedQuery } from './signature.ts';
import type { HttpAnswer } from './transport.ts';

type ObjectRequest = Omit<AwsRequest, 'path'> & { key: string };
type SignedUrlOptions = { method: string; key: string; query: Record<string, string>; seconds: number };

export type Bucket = {
  name: string;
  ask(about: ObjectRequest): Promise<AwsAnswer>;
  open(about: ObjectRequest): Promise<HttpAnswer>;
  /** Carries our own permission to do just this for so long. */
  address(o: SignedUrlOptions): Promise<string>;
  /** After so long without a byte a body has stopped. */
  silenceMs: number;
};

/** A name that a certificate of S3 covers in front of its own. */
const IN_HOST = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

const pathOf = (key: string): string => `/${key.split('/').map(encoded).join('/')}`;

export function bucketOf(name: string, { account, ...reaching }: AwsConnection): Bucket {
  /** Whatever stands in for S3 may have but one name. */
  function place(region: string): URL {
    const own = account.endpoint('s3');
    if (own) return new URL(pathBehind(own, `/${name}`), own);
    const host = regionHost('s3', region, account.variant());
    return new URL(IN_HOST.test(name) ? `https://${name}.${host}` : `https://${host}/${name}`);
  }
  const { ask, open, signing } = awsRequester({ ...reaching, account, signingName: 's3', place });
  return {
    name,
    silenceMs: reaching.patience.answerMs,
    ask: ({ key, ...request }) => ask({ ...request, path: pathOf(key) }),
    open: ({ key, ...request }) => open({ ...request, path: pathOf(key) }),
    async address({ method, key, query, seconds }) {
      const by = await signing();
      const path = pathBehind(by.url, pathOf(key));
      const signed = await signedQuery({ method, path, query, host: by.url.host, seconds }, by);
      return `${by.url.origin}${path}?${signed}`;
    },
  };
}
