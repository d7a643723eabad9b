/** `errand table`: rows of a stage's table that were lost. */
import { withAudit } from '../../shared/accounts/audit.ts';
import { isUuid } from '../../shared/core/ids.ts';
import { Problem } from '../../shared/core/problem.ts';
import { isRowOf } from '../../shared/transfer/organization-rows.ts';
import type { CommandLine, Noun, Operator, ShownValue } from './command.ts';
import { progressOf } from './progress.ts';

/** By its id alone, because the organization's own row may be among the lost ones. */
async function copy(operator: Operator, { options }: CommandLine): Promise<ShownValue> {
  const { from = '', org: organization } = options;
  const { copyMissingRows } = operator;
  if (!copyMissingRows)
    throw new Problem('invalid', 'The table on this machine is a file, which is restored by copying it: use --stage.');
  if (organization !== undefined && !isUuid(organization))
    throw new Problem(
      'invalid',
      '--org takes the id of the organization, because its name may be among the lost rows.',
    );
  const say = progressOf(operator);
  const isWanted = organization === undefined ? () => true : isRowOf(organization);
  const subject = organization ?? 'all organizations';
  const act = { by: operator.by, act: 'table copy', subject, detail: from };
  const report = await withAudit(operator, act, () =>
    copyMissingRows({ from, isWanted, progress: ({ copied, present }) => say(`${copied + present} rows so far`) }),
  );
  return { report, note: 'Rows that are here already were left as they are.' };
}

export const table: Noun = {
  copy: {
    usage: 'copy --from TABLE --stage NAME [--org ID]',
    about: 'copies the rows that are missing in the stage out of a restored table, of all organizations or of one',
    args: [0, 0],
    options: ['org'],
    needs: ['from'],
    run: copy,
  },
};
