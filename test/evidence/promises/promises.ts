/** The promises that test suites prove: each holds if all of its tests pass; the run that passes them writes its row. */

export type Promised = {
  promise: string;
  command: string;
  /** The project in vitest.config.ts. */
  project: string;
  /** The test files, as glob patterns. */
  files: string[];
};

const TEST = 'npm test';

export const PROMISES: readonly Promised[] = [
  {
    promise: 'The whole product runs on one machine and keeps its state between runs',
    command: TEST,
    project: 'node',
    files: ['test/bin/local/start.test.ts'],
  },
  {
    promise: 'An acknowledged write survives kill -9 at any moment',
    command: TEST,
    project: 'node',
    files: ['test/adapters/local/kill-rows.test.ts', 'test/adapters/local/kill-blobs.test.ts'],
  },
  {
    promise: 'Tasks survive kill -9 of the whole product and finish exactly once',
    command: 'npm run test:kill',
    project: 'kill',
    files: ['test/evidence/kill/kill-tasks.long.test.ts'],
  },
  {
    promise: 'No good task ends failed because the process was killed, whatever its kind',
    command: 'npm run test:kill',
    project: 'kill',
    files: ['test/evidence/kill/kill-mixed.long.test.ts'],
  },
  {
    promise:
      'No cap of tokens is passed under kill -9, and no reservation is left but those of calls that a kill cut off',
    command: 'npm run test:kill',
    project: 'kill',
    files: ['test/evidence/kill/kill-budget.long.test.ts'],
  },
  {
    promise: 'A full disk causes a clear error, loses nothing, and needs no manual repair',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/evidence/processes/full-disk.process.test.ts'],
  },
  {
    promise: 'A locked state delays only writers, and loses nothing',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/evidence/processes/busy-state.process.test.ts'],
  },
  {
    promise: 'A read-only state folder is one clear line at the start',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/evidence/processes/unwritable-state.process.test.ts'],
  },
  {
    promise: 'Webhooks reach a flaky receiver within seconds, and a returned one within a minute',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/evidence/processes/delivery.process.test.ts'],
  },
  {
    promise: 'The deployed functions lose nothing when workers are killed or tables and queues are unavailable',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/evidence/processes/rehearsal.process.test.ts'],
  },
  {
    promise: 'Removing any condition of the state machine fails a test',
    command: 'npm run prove:mutants',
    project: 'mutants',
    files: ['test/evidence/faults/mutants.prove.test.ts'],
  },
  {
    promise: 'One organization never holds more than three quarters of a lane',
    command: TEST,
    project: 'node',
    files: [
      'test/shared/tasks/worker-seats.test.ts',
      'test/shared/tasks/run-batch.test.ts',
      'test/adapters/local/consume.test.ts',
    ],
  },
  {
    promise: 'Local and AWS adapters of every port pass the same suite',
    command: TEST,
    project: 'node',
    files: ['test/ports/*.local.test.ts'],
  },
  {
    promise: 'The same suites pass on independent implementations of AWS services',
    command: 'npm run test:aws',
    project: 'aws',
    files: ['test/ports/*.aws.test.ts'],
  },
  {
    promise: 'Each result is available by polling and signed webhook, with up to ten recorded attempts',
    command: TEST,
    project: 'node',
    files: ['test/shared/webhooks/*.test.ts'],
  },
  {
    promise: 'What organizations share they have in turn, behind one semaphore',
    command: TEST,
    project: 'node',
    files: [
      'test/shared/core/semaphore.test.ts',
      'test/bin/local/shared-resources.test.ts',
      'test/engines/documents/threads.test.ts',
      'test/agents/chat/memory.test.ts',
      'test/agents/processing/neighbours.test.ts',
      'test/engines/models/bounded-calls.test.ts',
      'test/shared/webhooks/sender-slots.test.ts',
    ],
  },
  {
    promise: 'User-supplied URLs are fetched from public hosts only',
    command: TEST,
    project: 'node',
    files: ['test/engines/outbound/*.test.ts'],
  },
  {
    promise: 'Hostile documents stay within the limits of their thread',
    command: TEST,
    project: 'node',
    files: ['test/engines/documents/*.test.ts'],
  },
  {
    promise: 'Every attempt of a model call is counted; unreported usage is estimated and marked',
    command: TEST,
    project: 'node',
    files: ['test/shared/usage/*.test.ts'],
  },
  {
    promise: '45 ways in which a provider of models misbehaves end in a clear state with counted tokens',
    command: TEST,
    project: 'node',
    files: ['test/engines/models/behaviours.test.ts'],
  },
  {
    promise: 'Schedules run at their calendar times in their own time zone',
    command: TEST,
    project: 'node',
    files: ['test/shared/schedules/*.test.ts'],
  },
  {
    promise: 'WebSocket updates arrive in order, and a resumed connection misses none',
    command: TEST,
    project: 'node',
    files: ['test/shared/realtime/*.test.ts'],
  },
  {
    promise: 'A mail is sent once, is well-formed, and can be unsubscribed with one click',
    command: TEST,
    project: 'node',
    files: ['test/agents/notification/*[a-z].test.ts'],
  },
  {
    promise: 'Forged, expired and guessed credentials are rejected by login, tokens and SSO',
    command: TEST,
    project: 'node',
    files: ['test/shared/accounts/login/*.test.ts', 'test/shared/accounts/sso/*.test.ts'],
  },
  {
    promise: 'Repeated bad credentials from one source address are rejected before they are looked up',
    command: TEST,
    project: 'node',
    files: ['test/functions/http/bad-credentials.test.ts'],
  },
  {
    promise: 'Every operator action leaves an audit row',
    command: TEST,
    project: 'node',
    files: ['test/bin/operator/*[a-z].test.ts'],
  },
  {
    promise: 'The template is synthesized without network or account, reproducibly, and follows the rules',
    command: TEST,
    project: 'infra',
    files: ['test/infra/*.test.ts'],
  },
  {
    promise: 'A newer version reads the data of an older one',
    command: TEST,
    project: 'node',
    files: ['test/upgrade/*.test.ts'],
  },
  {
    promise: 'Contracts and client match the product',
    command: TEST,
    project: 'node',
    files: ['test/scripts/contracts/*.test.ts', 'test/client/*.test.ts'],
  },
  {
    promise: 'Charts, reports and mails render correctly in a browser and on paper',
    command: 'npm run test:browser',
    project: 'browser',
    files: ['test/**/*.browser.test.ts'],
  },
  {
    promise: 'The deployed functions pass the API suites behind their gateways',
    command: 'npm run rehearse',
    project: 'rehearsal',
    files: ['test/functions/over-http/*.test.ts', 'test/**/*.rehearsal.test.ts'],
  },
  {
    promise: 'Each IAM role permits what its function calls, and no more',
    command: 'npm run rehearse',
    project: 'policies',
    files: ['test/evidence/rehearsal/policies.test.ts'],
  },
  {
    promise: 'Named rules find the fields of documents and cite their place',
    command: TEST,
    project: 'node',
    files: ['test/agents/processing/labelled-fields.test.ts'],
  },
  {
    promise: 'Research publishes what its sources say, also with a model that lies',
    command: 'npm run prove:research',
    project: 'research',
    files: ['test/agents/research/liars/*.test.ts'],
  },
  {
    promise: 'Research finds the pages with the answer on a frozen web, also behind a name',
    command: 'npm run prove:research',
    project: 'research',
    files: ['test/evidence/frozen-web/*.test.ts'],
  },
];
