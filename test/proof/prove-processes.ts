/**
 * `npm run prove:processes`: real processes that are killed, stand still, or find their disk full, their state held or
 * unwritable, and their table and queues gone. `--short` for the gate, `--write` notes it in docs/evidence/proof.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { installEmulators } from '../emulators/install.ts';

const { values } = parseArgs({
  options: { short: { type: 'boolean', default: false }, write: { type: 'boolean', default: false } },
});

await installEmulators();
const tests = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'processes'], {
  stdio: ['ignore', 'inherit', 'inherit'],
  env: { ...process.env, ...(values.short && { PROVE_SHORT: '1' }), ...(values.write && { PROOF_WRITE: '1' }) },
});
const [code] = await once(tests, 'exit');
process.exitCode = code ?? 1;
