/** The report of `errand doctor --before` on the AWS account of the shell. */
import { accountClients, checkAccount } from '../../adapters/aws/doctor-before.ts';
import { STAGE_MODELS } from '../../shared/core/stage.ts';
import type { ShownValue } from './command.ts';
import { checks } from './doctor.ts';

export async function accountReport(): Promise<ShownValue> {
  const report = await checkAccount({ clients: accountClients(), model: STAGE_MODELS[0], askModel: checks.askModel });
  return { report, ...(report.some(({ state }) => state === 'wrong') ? { failed: true } : {}) };
}
