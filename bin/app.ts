/** The program of the CDK commands (cdk.json): the stack of the stage given by `-c stage=NAME`, over the bundles in dist. */
import { join } from 'node:path';
import { errandApp } from '../infra/errand-app.ts';

errandApp({ bundles: join(import.meta.dirname, '../dist') }).synth();
