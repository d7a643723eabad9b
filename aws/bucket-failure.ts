/** What the bucket's client throws, in our words. The specification has a name for a bucket that is missing or closed to us. */
import { isProblem, Problem } from '../shared/core/problem.ts';
import { failure } from './failures.ts';

export function bucketFailure(cause: unknown): Error {
  const found = failure('The bucket', cause);
  return isProblem(found, 'badSetting')
    ? new Problem('noStorage', 'S3 storage configuration missing', { cause })
    : found;
}
