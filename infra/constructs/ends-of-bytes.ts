/** How bytes end by the rules of their bucket, when nobody has removed them before: the rows go first, so that nobody is shown what is not there. */
import { Duration } from 'aws-cdk-lib';
import type { LifecycleRule } from 'aws-cdk-lib/aws-s3';

const BROKEN_OFF: LifecycleRule = {
  id: 'broken-off-uploads',
  abortIncompleteMultipartUploadAfter: Duration.days(1),
};

export function endsOfWritten(retentionDays: number): LifecycleRule[] {
  const expiration = Duration.days(retentionDays + 1);
  return [
    BROKEN_OFF,
    // Uploads that were asked of the release before, and never completed.
    { id: 'uncompleted-uploads', prefix: 'uploads/', expiration: Duration.days(2) },
    // Imports past retention.
    { id: 'old-files', prefix: 'files/', expiration },
    // Archives of tasks.
    { id: 'old-results', prefix: 'results/', expiration },
  ];
}

/**
 * A file is a version, which is up to a day older than its row, and may have been followed by another within the hour. The
 * rules know neither, so each of the two times alone is longer than a file stays. What nobody completed, and all versions of
 * what was deleted, are removed by the product; this is for what comes through an address after that.
 */
export function endsOfUploads(retentionDays: number): LifecycleRule[] {
  const longer = Duration.days(retentionDays + 2);
  return [BROKEN_OFF, { id: 'old-uploads', expiration: longer, noncurrentVersionExpiration: longer }];
}
