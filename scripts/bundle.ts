/** Bundles every function for Lambda: `npm run bundle`. */
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import { build, type OutputFile, type Plugin } from 'esbuild';
import { CONTRACT_FILES } from '../functions/contract-routes.ts';
import { readArguments } from './arguments.ts';
import { bundleDocumentsWorker, bundleTextRules } from './bundle/documents-worker.ts';
import { bundleFonts } from './bundle/fonts.ts';
import { putLicences } from './bundle/licences.ts';
import { lambdaOptions } from './bundle/options.ts';
import { bundleSources } from './bundle/sources.ts';
import { trim } from './bundle/trim.ts';
import { buildConsole, putConsole } from './console/build.ts';
import { buildDocsSite, putDocsSite } from './docs-site/build.ts';

const root = dirname(import.meta.dirname);
const ENTRY = '.lambda.ts';
/** The function that reads documents, gathers and draws: its threads, the public sources and the fonts lie beside its handler. */
const READER = 'run-task';

/** The console's only package; the console has a build of its own. */
const CONSOLE_PACKAGE = 'node_modules/preact';

/** The functions that read or write buckets, or sign URLs of them: S3's client is a program beside their handlers. */
const S3_FUNCTIONS = ['agents', 'files-and-tasks', 'reconcile', 'send-webhook', READER];

/** Leaves `<name>/index.js`, `meta/<name>.json` and `maps/<name>.js.map` in the folder, and answers the names. */
export async function bundle(into: string = join(root, 'dist')): Promise<string[]> {
  const names = readdirSync(join(root, 'functions'))
    .filter((file) => file.endsWith(ENTRY))
    .map((file) => basename(file, ENTRY))
    .sort();
  rmSync(into, { recursive: true, force: true });
  for (const folder of [...names, 'meta', 'maps']) mkdirSync(join(into, folder), { recursive: true });
  const inputs = await Promise.all([
    ...names.map((name) => bundleOne(name, into)),
    bundleProgram('read-snapshot', READ_SNAPSHOT_PROGRAM, join(into, 'agents')),
    bundleProgram('model-providers', MODEL_PROVIDERS_PROGRAM, join(into, READER)),
    ...S3_FUNCTIONS.map((name) => bundleProgram(S3_CLIENT, S3_CLIENT_PROGRAM, join(into, name))),
    bundleDocumentsWorker(join(into, READER)),
    bundleTextRules(join(into, READER)),
  ]);
  putLicences([...inputs.flat(), CONSOLE_PACKAGE], root, into);
  putConsole(await buildConsole(), join(into, 'console'));
  putDocsSite(buildDocsSite(), join(into, 'docs'));
  bundleSources(join(into, READER));
  bundleFonts(join(into, READER));
  return names;
}

/** Answers the files that are in the bundle. */
async function bundleOne(name: string, into: string): Promise<string[]> {
  const { outputFiles, metafile } = await build({
    ...lambdaOptions,
    plugins: [trim, s3Client, leaveOutUnused],
    entryPoints: [join('functions', name + ENTRY)],
    absWorkingDir: root,
    outfile: `${name}.js`,
    sourcemap: 'external',
    metafile: true,
    write: false,
  });
  write(outputFiles, '.js', join(into, name, 'index.js'));
  if (name in CONTRACT_FILES) putContracts(name as keyof typeof CONTRACT_FILES, join(into, name));
  write(outputFiles, '.map', join(into, 'maps', `${name}.js.map`));
  writeFileSync(join(into, 'meta', `${name}.json`), JSON.stringify(metafile));
  return Object.keys(metafile.inputs);
}

/** The function of the agent API loads it for the text of a source. */
const READ_SNAPSHOT_PROGRAM = `export { readSnapshot } from './agents/research/snapshots.ts';`;

/** A worker loads it with its first model: the libraries of the providers. */
const MODEL_PROVIDERS_PROGRAM = `
  export { PROVIDERS } from './engines/models/providers.ts';
  export { bedrockModels } from './adapters/aws/model.ts';
`;

const S3_CLIENT = 's3-client';
const S3_CLIENT_PROGRAM = `export { s3Requests } from './adapters/aws/s3-client.ts';`;

/** The adapters import S3's client when it is first needed; in a bundle that is a file beside the handler. */
const s3Client: Plugin = {
  name: S3_CLIENT,
  setup({ onResolve }) {
    onResolve({ filter: /\/s3-client\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: `./${S3_CLIENT}.js`, external: true } : undefined,
    );
  },
};

/**
 * What AWS's clients import only when they are used with other credentials than those they are given, or with event streams:
 * neither happens here. If it did, Lambda would load them from the SDK of its runtime. esbuild would otherwise wrap all that
 * they share with the clients, which then runs slower at the start.
 */
const UNUSED_BY_CLIENTS = [
  '@aws-sdk/credential-provider-*',
  '@smithy/credential-provider-imds',
  '@smithy/core/event-streams',
];

const leaveOutUnused: Plugin = {
  name: 'leave-out-unused',
  setup({ onResolve }) {
    onResolve({ filter: /^@(aws-sdk\/credential-provider-|smithy\/)/ }, ({ path, kind }) =>
      kind === 'dynamic-import' && UNUSED_BY_CLIENTS.some((name) => matchesGlob(path, name))
        ? { path, external: true }
        : undefined,
    );
  },
};

/** A program beside the handler, which loads it by its path when it is first needed. Answers the files that are in it. */
async function bundleProgram(name: string, contents: string, folder: string): Promise<string[]> {
  const { outputFiles, metafile } = await build({
    ...lambdaOptions,
    plugins: [trim, s3Client, leaveOutUnused],
    stdin: { contents, resolveDir: root },
    absWorkingDir: root,
    outfile: `${name}.js`,
    metafile: true,
    write: false,
  });
  write(outputFiles, '.js', join(folder, `${name}.js`));
  return Object.keys(metafile.inputs);
}

/** Written beside the program, without indentation. */
function putContracts(name: keyof typeof CONTRACT_FILES, folder: string): void {
  for (const [as, file] of Object.entries(CONTRACT_FILES[name])) {
    const document: unknown = JSON.parse(readFileSync(join(root, 'contracts', file), 'utf8'));
    writeFileSync(join(folder, as), JSON.stringify(document));
  }
}

function write(files: OutputFile[], ending: string, to: string): void {
  const file = files.find(({ path }) => path.endsWith(ending));
  if (!file) throw new Error(`esbuild made no ${ending} for ${to}`);
  writeFileSync(to, file.contents);
}

if (import.meta.main) {
  readArguments({ command: 'npm run bundle' });
  for (const name of await bundle()) {
    const bytes = statSync(join(root, 'dist', name, 'index.js')).size;
    console.log(`${name}: ${Math.round(bytes / 1_000)} kB`);
  }
}
