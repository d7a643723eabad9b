/** The report of `errand doctor --before` on the AWS account of the shell. */
import { accountClients, checkAccount } from '../../adapters/aws/check-account.ts';
import { STAGE_MODELS } from '../../shared/core/deployment-stage.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { ShownValue } from './command.ts';
import { checks } from './doctor-checks.ts';

export async function accountReport(): Promise<ShownValue> {
  const clients = accountClients();
  await requireShellAccount(clients.stacks.config);
  const report = await checkAccount({ clients, model: STAGE_MODELS[0], askModel: checks.askModel });
  return { report, ...(report.some(({ state }) => state === 'wrong') ? { failed: true } : {}) };
}

type ShellAccount = { region(): Promise<string>; credentials(): Promise<unknown> };

/** Otherwise each check would fail for the same reason. */
async function requireShellAccount({ region, credentials }: ShellAccount): Promise<void> {
  await region().catch(() => {
    throw new Problem(
      'badSetting',
      'The shell has no AWS region: set AWS_REGION, or AWS_PROFILE to a profile with one.',
    );
  });
  await credentials().catch(() => {
    throw new Problem(
      'badSetting',
      'The shell has no AWS credentials: run aws configure, aws sso login, or set AWS_PROFILE.',
    );
  });
}
