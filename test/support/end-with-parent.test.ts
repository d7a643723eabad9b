import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const IDLE = 'setInterval(() => {}, 1000)';
/** The child writes to the standard output of its parent, which closes when both have ended. */
const PARENT = `
  import { spawn } from 'node:child_process';
  import { endWithParent } from '${join(import.meta.dirname, 'end-with-parent.ts')}';
  endWithParent(spawn(process.execPath, ['-e', 'console.log("ready"); ${IDLE}'], { stdio: 'inherit' }));
  ${IDLE};
`;

it.each(['SIGTERM', 'SIGKILL'] as const)('ends the child of a process that %s ends', async (signal) => {
  const parent = spawn(process.execPath, ['--input-type=module', '-e', PARENT], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(parent, 'close');
  await once(parent.stdout, 'data');
  parent.kill(signal);
  expect(await closed).toEqual([null, signal]);
});
