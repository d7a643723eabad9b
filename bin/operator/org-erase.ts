/** `errand org erase`: removes an organization with all that it has, and counts afterwards what is left of it. */
import { withAudit } from '../../shared/accounts/audit.ts';
import { eraseOrganization } from '../../shared/accounts/erase-organization.ts';
import { isUuid } from '../../shared/core/ids.ts';
import { Problem } from '../../shared/core/problem.ts';
import { findOrganization } from './find-organization.ts';
import type { ShownValue } from './show.ts';
import { type CommandLine, type Operator, UsageFault } from './verb.ts';

/** By its id it is also found when an earlier erasure broke off behind its row. */
export async function erase(
  operator: Operator,
  { args: [org = ''], options: { confirm } }: CommandLine,
): Promise<ShownValue> {
  const id = isUuid(org) ? org : (await findOrganization(operator.table, org)).id;
  if (confirm !== id) throw new UsageFault(`org erase removes all of it for ever: repeat its id, --confirm ${id}.`);
  // Nothing of the organization but its id: the row of this act is what stays.
  const erased = await withAudit(operator, { by: operator.by, act: 'org erase', subject: id }, () =>
    eraseOrganization(operator, id),
  );
  if (erased.rowsLeft + erased.blobsLeft > 0) {
    const left = `${erased.rowsLeft} rows and ${erased.blobsLeft} blobs`;
    throw new Problem('busy', `${left} came back meanwhile: run it again in a minute, when its calls are refused.`);
  }
  return { report: { id, ...erased }, note: 'Nothing of it is left, but for the row that says it was erased.' };
}
