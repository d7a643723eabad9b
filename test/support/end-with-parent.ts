/** Ends a child process when the process that started it has ended in any way, a kill included. */
import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';

/**
 * A shell waits for the end of its standard input, which closes with this process. It leads a process group of its own, so that a
 * Ctrl-C for the whole group does not end it before the child.
 */
export function endWithParent<Child extends ChildProcess>(child: Child): Child {
  const guard = spawn('/bin/sh', ['-c', `read -r line; kill -9 ${child.pid}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.unref();
  (guard.stdin as Socket).unref();
  child.once('exit', () => guard.kill('SIGKILL'));
  return child;
}
