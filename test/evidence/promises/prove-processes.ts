/**
 * `npm run prove:processes`: real processes that are killed, stand still, or find their disk full, their state held or
 * unwritable, and their table and queues gone.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readArguments } from '../../../scripts/arguments.ts';
import { installEmulators } from '../../support/emulators/install.ts';

const { values } = readArguments({
  command: 'npm run prove:processes',
  options: {
    short: { type: 'boolean', default: false, help: 'repeats less' },
    write: { type: 'boolean', default: false, help: 'notes the result in docs/evidence/proof.md' },
  },
});

await installEmulators();
const tests = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'processes'], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...(values.short && { PROVE_SHORT: '1' }), ...(values.write && { PROOF_WRITE: '1' }) },
});
const [code] = await once(tests, 'exit');
process.exitCode = code ?? 1;
