/** Opens a file in the default program of this machine if the session is interactive and has a screen. */
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
  // The path is already printed, so a failure to open the file is ignored.
  opener.on('error', () => undefined);
  opener.unref();
}
