import { defineConfig } from 'vitest/config';

/** `*.aws.test.ts` needs the emulators of `npm run test:aws`; everything else needs nothing but Node. */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'node', include: ['test/**/*.test.ts'], exclude: ['test/**/*.aws.test.ts', 'test/api/**'] } },
      { test: { name: 'api', include: ['test/api/*.test.ts'], globalSetup: 'test/api/local-target.ts' } },
      { test: { name: 'aws', include: ['test/**/*.aws.test.ts'], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
