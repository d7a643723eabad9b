/** The environment in which a Node process and its children begin at another time. */

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const PRELOAD = pathToFileURL(join(import.meta.dirname, 'clock-offset.ts')).href;

export const clockAt = (at: number): Record<string, string> => ({
  NODE_OPTIONS: `--import=${PRELOAD}`,
  ERRAND_TEST_CLOCK_OFFSET: String(at - Date.now()),
});
