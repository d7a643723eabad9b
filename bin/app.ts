/** The program of the CDK commands (cdk.json): the stack of the stage given by `-c stage=NAME`, over the bundles in dist. */
import { join } from 'node:path';
import { errandApp } from '../infra/errand-app.ts';

try {
  errandApp({ bundles: join(import.meta.dirname, '../dist') }).synth();
} catch (error) {
  // A setting that does not fit is one line; anything else is our bug and shown whole.
  console.error(error instanceof RangeError ? `errand: ${error.message}` : error);
  process.exitCode = 1;
}
