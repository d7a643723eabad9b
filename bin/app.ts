/** The program of the CDK commands (cdk.json): the stack of the stage given by `-c stage=NAME`, over the bundles in dist. */
import { join } from 'node:path';
import { checked } from '../infra/checked.ts';
import { endOfCommit } from '../infra/end-of-commit.ts';
import { errandApp } from '../infra/errand-app.ts';

try {
  const root = join(import.meta.dirname, '..');
  checked(errandApp({ bundles: join(root, 'dist'), ends: endOfCommit(root) })).synth();
} catch (error) {
  // A setting that does not fit is one line; anything else is our bug and shown whole.
  console.error(error instanceof RangeError ? `errand: ${error.message}` : error);
  process.exitCode = 1;
}
