import { defineConfig } from 'vitest/config';
import { isWriting } from './test/evidence/promises/proof-table.ts';
import { proofReporter } from './test/evidence/promises/reporter.ts';

const AWS = 'test/**/*.aws.test.ts';
const API = 'test/functions/over-http/*.test.ts';
const REHEARSAL = 'test/**/*.rehearsal.test.ts';
const BROWSER = 'test/**/*.browser.test.ts';
const LONG = 'test/**/*.long.test.ts';
const PROVE = 'test/**/*.prove.test.ts';
const PROCESSES = 'test/**/*.process.test.ts';
const RECORDED = ['policies', 'customer-key', 'costs'].map((name) => `test/evidence/rehearsal/${name}.test.ts`);

/** Some tests start processes, and a machine may be busy with others. */
const PATIENT = { testTimeout: 30_000, hookTimeout: 60_000 };

/**
 * `aws` needs the emulators of `npm run test:aws`; `rehearsal` and `policies` need what `npm run rehearse` sets up and
 * records; `long` takes minutes (`npm run test:kill`), `prove` too (`npm run prove:mutants`), and `processes` (`npm run prove:processes`); `browser` looks at pages in Chromium (`npm run test:browser`); everything else needs nothing but Node.
 */
export default defineConfig({
  test: {
    reporters: isWriting() ? ['default', proofReporter()] : ['default'],
    projects: [
      {
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [AWS, API, REHEARSAL, ...RECORDED, LONG, PROVE, PROCESSES, BROWSER],
          maxWorkers: '100%',
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'api',
          include: [API],
          globalSetup: 'test/functions/over-http/local-target.ts',
          // Its files share one product and follow those of `node`.
          sequence: { groupOrder: 1 },
          maxWorkers: '100%',
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'rehearsal',
          include: [API, REHEARSAL],
          globalSetup: 'test/functions/over-http/rehearsal-target.ts',
          testTimeout: 30_000,
        },
      },
      { test: { name: 'long', include: [LONG] } },
      { test: { name: 'prove', include: [PROVE] } },
      {
        test: {
          name: 'processes',
          include: [PROCESSES],
          fileParallelism: false,
          testTimeout: 400_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'browser',
          include: [BROWSER],
          globalSetup: 'test/support/browser/browser-target.ts',
          ...PATIENT,
        },
      },
      { test: { name: 'policies', include: RECORDED } },
      { test: { name: 'aws', include: [AWS], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
