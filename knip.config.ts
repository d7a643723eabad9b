/** What knip takes for an entry: programs, beside those that scripts/loaded-by-path.ts lists. */
import type { KnipConfig } from 'knip';
import { PROGRAMS } from './scripts/loaded-by-path.ts';

const config: KnipConfig = {
  entry: [
    // Those in bin/ and scripts/ match the patterns below.
    ...PROGRAMS.map(({ path }) => path).filter((path) => !/^(bin|scripts)\//.test(path)),
    'bin/*.ts',
    'scripts/*.ts',
    'functions/*.lambda.ts',
    'test/evidence/bench/*.bench.ts',
    'test/evidence/bench/yardstick/*-server.ts',
    'test/evidence/bench/sockets/server.ts',
    'test/evidence/bench/cold-start/reference.ts',
    'test/evidence/bench/worker/at-once.ts',
    'test/infra/deployment/node-function.ts',
    'test/adapters/local/kill-*writer.ts',
    'test/evidence/processes/hold-lock.ts',
    'test/agents/endless-writers.ts',
    'test/agents/processing/endless-rules.ts',
    'test/upgrade/record-rows.ts',
    'test/upgrade/record.ts',
    'test/upgrade/record-state.ts',
    'test/upgrade/record-items.ts',
    'test/upgrade/clock-offset.ts',
    'test/functions/over-http/*-target.ts',
    'test/evidence/quality/without/*.ts',
    'client/src/index.ts',
  ],
  project: ['**/*.{ts,tsx}', '!test/engines/documents/samples/**'],
  ignoreBinaries: ['openssl', 'prlimit'],
  ignoreDependencies: ['@tesseract.js-data/eng'],
};

export default config;
