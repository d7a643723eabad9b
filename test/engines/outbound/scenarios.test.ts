import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CONNECTIONS } from './connections.scenarios.ts';
import { guardIn } from './guard.ts';
import { LIMIT_SCENARIOS } from './limits.scenarios.ts';
import { MESSAGES } from './messages.scenarios.ts';
import { NAMES } from './names.scenarios.ts';
import { REDIRECTS } from './redirects.scenarios.ts';

const guard = guardIn(join(import.meta.dirname, '../../../engines/outbound'));

describe('the guard', () => {
  it.each([...CONNECTIONS, ...REDIRECTS, ...MESSAGES, ...LIMIT_SCENARIOS, ...NAMES])('$promise', async ({ check }) => {
    expect.hasAssertions();
    await check(guard);
  });
});
