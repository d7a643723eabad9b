/** How bytes end by the rules of their bucket, when nobody has removed them before: the rows go first, so that nobody is shown what is not there. */
import { Duration } from 'aws-cdk-lib';
import type { LifecycleRule } from 'aws-cdk-lib/aws-s3';
import { MOST_KEPT_DAYS } from '../../shared/core/stage.ts';

const BROKEN_OFF: LifecycleRule = {
  id: 'broken-off-uploads',
  abortIncompleteMultipartUploadAfter: Duration.days(1),
};

/** A rule holds for what is there already too, and a file stays for the days of its own day: the reconciler removes it then. */
const AT_LAST = Duration.days(MOST_KEPT_DAYS + 1);

export function endsOfWritten(retentionDays: number): LifecycleRule[] {
  return [
    BROKEN_OFF,
    // Uploads that were asked of the release before, and never completed.
    { id: 'uncompleted-uploads', prefix: 'uploads/', expiration: Duration.days(2) },
    // Imports that the reconciler left behind.
    { id: 'old-files', prefix: 'files/', expiration: AT_LAST },
    // Archives of tasks, which nobody else removes.
    { id: 'old-results', prefix: 'results/', expiration: Duration.days(retentionDays + 1) },
  ];
}

/**
 * A file is a version, which is up to a day older than its row, and may have been followed by another within the hour. The
 * rules know neither, so each of the two times alone is longer than a file stays: that of the newest than any ever did, that
 * of the others, of which few are files, than one does now. What nobody completed, all versions of what was deleted, and what
 * comes for it within a day are removed by the product; this is for what comes later than that.
 */
export function endsOfUploads(retentionDays: number): LifecycleRule[] {
  const after = (days: number) => Duration.days(days + 2);
  const ends = { expiration: after(MOST_KEPT_DAYS), noncurrentVersionExpiration: after(retentionDays) };
  return [BROKEN_OFF, { id: 'old-uploads', ...ends }];
}
