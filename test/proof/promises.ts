/** What suites of tests promise: each holds when all of its tests pass, and its row is written by the run that passed them. */

export type Promised = {
  promise: string;
  command: string;
  /** Of vitest.config.ts. */
  project: string;
  /** All of these, as patterns of node:path. */
  files: string[];
};

const TEST = 'npm test';

export const PROMISES: readonly Promised[] = [
  {
    promise: 'It runs whole on one machine, is ready when it says so, and keeps its state between runs',
    command: TEST,
    project: 'node',
    files: ['test/local/start.test.ts'],
  },
  {
    promise: 'A write that was acknowledged outlives kill -9 at any moment',
    command: TEST,
    project: 'node',
    files: ['test/local/kill.test.ts', 'test/local/kill-blobs.test.ts'],
  },
  {
    promise: 'Tasks outlive kill -9 of the whole product, and end once',
    command: 'npm run test:kill',
    project: 'long',
    files: ['test/local/kill-tasks.long.test.ts'],
  },
  {
    promise: 'A full disk is told of, loses nothing, and needs no hand',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/processes/full-disk.process.test.ts'],
  },
  {
    promise: 'A state that another process holds keeps only writers waiting, and loses nothing',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/processes/busy-state.process.test.ts'],
  },
  {
    promise: 'A state folder that cannot be written is one clear line at the start',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/processes/unwritable-state.process.test.ts'],
  },
  {
    promise: 'A receiver that fails now and then gets its webhooks in seconds, one that was away within a minute',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/processes/delivery.process.test.ts'],
  },
  {
    promise: 'Killed workers and absent tables and queues of the deployed bundles lose nothing',
    command: 'npm run prove:processes',
    project: 'processes',
    files: ['test/processes/rehearsal.process.test.ts'],
  },
  {
    promise: 'Any condition taken away from what moves a task turns a test red',
    command: 'npm run prove:mutants',
    project: 'prove',
    files: ['test/prove/mutants.prove.test.ts'],
  },
  {
    promise: 'One organization never holds more than three quarters of a lane, on AWS and on one machine',
    command: TEST,
    project: 'node',
    files: [
      'test/prove/crowded-lane.test.ts',
      'test/tasks/worker-seats.test.ts',
      'test/tasks/run-batch.test.ts',
      'test/local/consume.test.ts',
    ],
  },
  {
    promise: 'The same product on both: every port passes one suite on one machine',
    command: TEST,
    project: 'node',
    files: ['test/contracts/*.local.test.ts'],
  },
  {
    promise: 'The same suites pass on independent implementations of AWS',
    command: 'npm run test:aws',
    project: 'aws',
    files: ['test/contracts/*.aws.test.ts'],
  },
  {
    promise: 'Polling and signed webhooks bring each result; a webhook is tried ten times and each try is kept',
    command: TEST,
    project: 'node',
    files: ['test/webhooks/*.test.ts'],
  },
  {
    promise: 'What organizations share they have in turn, behind one semaphore',
    command: TEST,
    project: 'node',
    files: [
      'test/core/semaphore.test.ts',
      'test/local/shared-resources.test.ts',
      'test/documents/threads.test.ts',
      'test/agents/memory.test.ts',
      'test/processing/neighbours.test.ts',
      'test/model/bounded-calls.test.ts',
      'test/webhooks/sender-slots.test.ts',
    ],
  },
  {
    promise: 'What a stranger names is fetched from public places only',
    command: TEST,
    project: 'node',
    files: ['test/outbound/*.test.ts'],
  },
  {
    promise: 'Documents are read in threads that hostile ones cannot outgrow',
    command: TEST,
    project: 'node',
    files: ['test/documents/*.test.ts'],
  },
  {
    promise: 'Every try of a model call is counted; what was cut before it was reported is estimated and marked',
    command: TEST,
    project: 'node',
    files: ['test/usage/*.test.ts'],
  },
  {
    promise: 'A schedule fires in its own zone at the slots of the calendar',
    command: TEST,
    project: 'node',
    files: ['test/schedules/*.test.ts'],
  },
  {
    promise: 'Whoever watches hears of each task in its order, and misses nothing over a cut',
    command: TEST,
    project: 'node',
    files: ['test/sockets/*.test.ts'],
  },
  {
    promise: 'A mail is written once, well-formed, and left with one click',
    command: TEST,
    project: 'node',
    files: ['test/mail/*[a-z].test.ts'],
  },
  {
    promise: 'Logins, tokens and single sign-on take nothing that is forged, old or guessed',
    command: TEST,
    project: 'node',
    files: ['test/login/*.test.ts', 'test/sso/*.test.ts'],
  },
  {
    promise: 'A source address that keeps sending bad credentials is refused before they are looked up',
    command: TEST,
    project: 'node',
    files: ['test/http/bad-credentials.test.ts'],
  },
  {
    promise: 'Every act of the operator leaves an audit row',
    command: TEST,
    project: 'node',
    files: ['test/operator/*[a-z].test.ts'],
  },
  {
    promise: 'The template is synthesized without a network or an account, twice the same, and keeps the rules',
    command: TEST,
    project: 'node',
    files: ['test/infra/*.test.ts'],
  },
  {
    promise: 'A newer version reads what an older one has written',
    command: TEST,
    project: 'node',
    files: ['test/upgrade/*.test.ts'],
  },
  {
    promise: 'The contracts and the client say what the product does',
    command: TEST,
    project: 'node',
    files: ['test/openapi/*.test.ts', 'test/client/*.test.ts'],
  },
  {
    promise: 'Charts, reports and mails look as they should, in a browser and on paper',
    command: 'npm run test:browser',
    project: 'browser',
    files: ['test/**/*.browser.test.ts'],
  },
  {
    promise: 'The deployed bundles answer the API suites behind their own gateways',
    command: 'npm run rehearse',
    project: 'rehearsal',
    files: ['test/api/*.test.ts', 'test/**/*.rehearsal.test.ts'],
  },
  {
    promise: 'Each role may do what its function does, and no more',
    command: 'npm run rehearse',
    project: 'policies',
    files: ['test/rehearsal/policies.test.ts'],
  },
];
