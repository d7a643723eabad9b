/** Shows a file in whatever this machine shows such files with, if there is a screen and somebody before it. */
import { spawn } from 'node:child_process';

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
  linux: ['xdg-open'],
};

export function openFile(file: string, env: NodeJS.ProcessEnv): void {
  const [command, ...words] = OPENERS[process.platform] ?? [];
  const isSeen =
    process.stdout.isTTY && !env.CI && (process.platform !== 'linux' || env.DISPLAY || env.WAYLAND_DISPLAY);
  if (command === undefined || !isSeen) return;
  const opener = spawn(command, [...words, file], { stdio: 'ignore', detached: true });
  // Its path was said: whoever has nothing to open it with opens it otherwise.
  opener.on('error', () => undefined);
  opener.unref();
}
