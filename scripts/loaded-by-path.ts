/**
 * Files that the product loads by their path (threads, programs of other processes, entries of bundles, data), which no
 * import names. A file that moves has to move here too: test/infra/loaded-by-path.test.ts holds the list to the tree.
 */

type LoadedByPath = {
  path: string;
  /** The file that contains the path. */
  by: string;
  /** The bundle that contains it and its name there; absent if only the checkout has it. */
  bundle?: readonly [name: string, as: string];
};

/** Programs: threads, processes, preloaded modules, and entries of bundles that no folder lists. */
export const PROGRAMS: readonly LoadedByPath[] = [
  {
    path: 'engines/documents/worker.ts',
    by: 'engines/assets/checkout-files.ts',
    bundle: ['run-task', 'documents-worker.js'],
  },
  { path: 'agents/text-rules.ts', by: 'engines/assets/checkout-files.ts', bundle: ['run-task', 'text-rules.js'] },
  { path: 'engines/models/providers.ts', by: 'scripts/bundle.ts', bundle: ['run-task', 'model-providers.js'] },
  { path: 'agents/research/snapshots.ts', by: 'scripts/bundle.ts', bundle: ['agents', 'read-snapshot.js'] },
  ...['agents', 'files-and-tasks', 'reconcile', 'send-webhook', 'run-task'].map(
    (name): LoadedByPath => ({
      path: 'adapters/aws/s3-client.ts',
      by: 'adapters/aws/clients.ts',
      bundle: [name, 's3-client.js'],
    }),
  ),
  { path: 'engines/outbound/webhook-worker.ts', by: 'engines/outbound/webhook-thread.ts' },
  { path: 'engines/passwords/scrypt-worker.ts', by: 'engines/passwords/scrypt-threads.ts' },
  { path: 'console/main.tsx', by: 'scripts/console/build.ts' },
  { path: 'scripts/bundle.ts', by: 'bin/app.ts' },
  { path: 'scripts/console.ts', by: 'bin/local/console-server.ts' },
  { path: 'scripts/docs-site.ts', by: 'bin/local/docs-server.ts' },
  { path: 'bin/local.ts', by: 'bin/dev.ts' },
  { path: 'bin/compile-once.js', by: 'package.json' },
  { path: 'bin/lean-memory.js', by: 'package.json' },
];

export const DATA: readonly LoadedByPath[] = [
  {
    path: 'node_modules/tesseract.js-core/tesseract-core-simd-lstm.wasm',
    by: 'engines/documents/reader-files.ts',
    bundle: ['run-task', 'tesseract-core-simd-lstm.wasm'],
  },
  {
    path: 'node_modules/@tesseract.js-data/eng/4.0.0_best_int/eng.traineddata.gz',
    by: 'engines/documents/reader-files.ts',
    bundle: ['run-task', 'eng.traineddata.gz'],
  },
  {
    path: 'node_modules/sql.js/dist/sql-wasm.wasm',
    by: 'engines/documents/reader-files.ts',
    bundle: ['run-task', 'sql-wasm.wasm'],
  },
  {
    path: 'node_modules/@resvg/resvg-wasm/index_bg.wasm',
    by: 'engines/fonts/font.ts',
    bundle: ['run-task', 'chart-painter.wasm'],
  },
  {
    path: 'assets/fonts/inter-regular.ttf',
    by: 'engines/fonts/font.ts',
    bundle: ['run-task', 'inter-regular.ttf'],
  },
  {
    path: 'assets/fonts/inter-semibold.ttf',
    by: 'engines/fonts/font.ts',
    bundle: ['run-task', 'inter-semibold.ttf'],
  },
  { path: 'assets/fonts/LICENSE.txt', by: 'scripts/bundle/fonts.ts', bundle: ['run-task', 'fonts-license.txt'] },
  { path: 'assets/sources', by: 'scripts/bundle/sources.ts', bundle: ['run-task', 'sources.json'] },
  { path: 'assets/samples', by: 'engines/assets/checkout-files.ts' },
  { path: 'assets/docs/docs.css', by: 'bin/local/docs-server.ts' },
  { path: 'assets/docs/docs.js', by: 'bin/local/docs-server.ts' },
  { path: 'assets/docs-site/site.css', by: 'scripts/docs-site/build.ts' },
  { path: 'assets/docs-site/site.js', by: 'scripts/docs-site/build.ts' },
  { path: 'console/index.html', by: 'scripts/console/build.ts' },
  { path: 'console/styles/console.css', by: 'scripts/console/build.ts' },
  { path: 'console/styles/icon.svg', by: 'scripts/console/build.ts' },
  { path: 'contracts/llms.txt', by: 'bin/local/docs-server.ts' },
  {
    path: 'contracts/files-and-tasks.openapi.json',
    by: 'functions/contract-routes.ts',
    bundle: ['files-and-tasks', 'openapi.json'],
  },
  { path: 'contracts/agents.openapi.json', by: 'functions/contract-routes.ts', bundle: ['agents', 'openapi.json'] },
  { path: 'contracts/agents.asyncapi.json', by: 'functions/contract-routes.ts', bundle: ['agents', 'asyncapi.json'] },
];
