/** The CDK app (cdk.json): bundles into dist and builds the stack of the stage given by `-c stage=NAME`. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { checked, statedApp, withStack } from '../infra/app.ts';
import { endOfCommit } from '../infra/settings.ts';

const ENDLESS =
  'The stage has no expiry date, as the checked-out commit is older than two weeks: set one with -c expires=YYYY-MM-DD.';

try {
  const root = join(import.meta.dirname, '..');
  const today = new Date().toISOString().slice(0, 10);
  // Set by the CDK's command line if it has credentials or a configured region.
  const configured = statedApp({ ends: endOfCommit(root), today, region: process.env.CDK_DEFAULT_REGION });
  const { isEphemeral, expires } = configured.settings;
  if (isEphemeral && expires === undefined) console.error(ENDLESS);
  execFileSync(process.execPath, [join(root, 'scripts', 'bundle.ts')], { stdio: 'inherit' });
  checked(withStack(configured, join(root, 'dist'))).synth();
} catch (error) {
  // An invalid setting is reported in one line; any other error is a bug and shown whole.
  console.error(error instanceof RangeError ? `errand: ${error.message}` : error);
  process.exitCode = 1;
}
