/** Runs the WebSocket example of the guide unchanged. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { target } from './call.ts';
import { PASSWORD, userNameOf } from './target.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());

const GUIDE = join(import.meta.dirname, '../../../docs/guides/websocket.md');
const [, example = ''] = /```ts watch\n([\s\S]*?)```/.exec(readFileSync(GUIDE, 'utf8')) ?? [];

it('is about thirty lines, and prints a task from its start to its end', { timeout: 60_000 }, async () => {
  expect(example.split('\n').length).toBeLessThan(35);
  const file = join(folder.path, 'watch.mts');
  writeFileSync(file, example);
  const env = {
    ...process.env,
    ROOT: target.agents,
    WS: target.agentsSocket,
    USERNAME: userNameOf('sockets', 'member'),
    PASSWORD,
  };
  const { stdout } = await promisify(execFile)(process.execPath, [file], { env, timeout: 50_000 });
  const lines = stdout.trim().split('\n');
  expect(lines[0]?.trim()).toBe('task_started');
  expect(lines.slice(1, -1).every((line) => /^task_progress \d+$/.test(line))).toBe(true);
  expect(lines.slice(-2).map((line) => line.trim())).toEqual(['task_progress 100', 'task_completed']);
});
