/**
 * Starts Node again with settings that the C library reads only at the very start: reading documents in threads leaves its
 * default allocator with one pool for each thread that ever ran, each with up to 64 MB that are never given back.
 * Only Linux has this allocator. Plain JavaScript, as it runs before anything that turns TypeScript into it.
 */
import { isMainThread } from 'node:worker_threads';
import allocator from './allocator.json' with { type: 'json' };

const isSet = process.env.MALLOC_ARENA_MAX !== undefined;
// A channel to a parent process would be lost.
if (process.platform === 'linux' && isMainThread && process.execve && !isSet && !process.connected) {
  const words = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  // The process stays the same, with its id, its signals and its output.
  process.execve(process.execPath, words, { ...allocator, ...process.env });
}
