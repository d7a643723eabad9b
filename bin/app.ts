/** Synthesizes the stack into cdk.out: `npm run synth`, or by the CDK's own commands. */
import { join } from 'node:path';
import { errandApp } from '../infra/errand-app.ts';

errandApp({ bundles: join(import.meta.dirname, '../dist') }).synth();
