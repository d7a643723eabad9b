import { defineConfig } from 'vitest/config';
import { isWriting } from './test/evidence/promises/proof-table.ts';
import { proofReporter } from './test/evidence/promises/reporter.ts';

const AWS = 'test/**/*.aws.test.ts';
const API = 'test/functions/over-http/*.test.ts';
/** The stacks of stages: each file reads the CDK, which takes longer than its tests. */
const INFRA = 'test/infra/**/*.test.ts';
const BROWSER = 'test/**/*.browser.test.ts';
/** What is measured: `npm run evidence` runs it, and the gate short forms of some. */
const EVIDENCE = 'test/evidence/**';
const REHEARSAL = 'test/evidence/rehearsal/*.rehearsal.test.ts';
const RECORDED = ['policies', 'customer-key', 'costs'].map((name) => `test/evidence/rehearsal/${name}.test.ts`);
const KILL = 'test/evidence/kill/*.long.test.ts';
/** Tests of `node` that repeat what differs by chance (`test/support/repetitions.ts`). */
const REPEATED = [
  'test/adapters/local/kill-rows.test.ts',
  'test/engines/documents/hostile.test.ts',
  'test/functions/both-apis/hostile-bodies.test.ts',
  'test/shared/realtime/virtual.test.ts',
  'test/shared/webhooks/many.test.ts',
  'test/shared/webhooks/plan.test.ts',
];
const MUTANTS = 'test/evidence/faults/*.prove.test.ts';

/** Some tests start processes, and a machine may be busy with others. */
const PATIENT = { testTimeout: 30_000, hookTimeout: 60_000 };

/**
 * `node`, `infra` and `api` need nothing but Node. `aws` needs the emulators of `npm run test:aws`; `rehearsal` and `policies` need
 * what `npm run rehearse` sets up and records; `browser` looks at pages in Chromium (`npm run test:browser`). All others are
 * evidence: `short` is kills and faults in short forms (`npm run prove:short`), `kill` is `npm run test:kill`, and `mutants`,
 * `repeated`, `processes`, `research` and `pages` are `npm run prove:mutants` and so on.
 */
export default defineConfig({
  test: {
    reporters: isWriting() ? ['default', proofReporter()] : ['default'],
    projects: [
      {
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [AWS, API, BROWSER, EVIDENCE, INFRA],
          maxWorkers: '100%',
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'infra',
          include: [INFRA],
          exclude: [AWS],
          // The files that a worker runs share the modules.
          isolate: false,
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
          // Its tests mostly wait.
          maxWorkers: 2,
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'short',
          include: ['test/evidence/{faults,kill}/*.test.ts'],
          exclude: [KILL, MUTANTS],
          maxWorkers: '100%',
          ...PATIENT,
        },
      },
      { test: { name: 'kill', include: [KILL] } },
      { test: { name: 'mutants', include: [MUTANTS], maxWorkers: '100%' } },
      {
        test: {
          name: 'repeated',
          include: REPEATED,
          env: { ERRAND_TEST_REPETITIONS: 'many' },
          ...PATIENT,
        },
      },
      {
        test: {
          name: 'processes',
          include: ['test/evidence/processes/*.process.test.ts'],
          fileParallelism: false,
          testTimeout: 400_000,
          hookTimeout: 90_000,
        },
      },
      {
        test: {
          name: 'research',
          include: ['test/evidence/frozen-web/*.test.ts', 'test/agents/research/liars/*.test.ts'],
          ...PATIENT,
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
      {
        test: {
          name: 'pages',
          include: ['test/evidence/pages/*.test.ts'],
          globalSetup: 'test/support/browser/browser-target.ts',
          ...PATIENT,
        },
      },
      { test: { name: 'policies', include: RECORDED } },
      { test: { name: 'aws', include: [AWS], testTimeout: 60_000, hookTimeout: 60_000 } },
    ],
  },
});
