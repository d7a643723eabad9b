/** Cold start of the deployed worker: loading the model library when a task runs, against loading it at the start, and never. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { lambdaOptions } from '../../../scripts/bundle/options.ts';
import { trim } from '../../../scripts/bundle/trim.ts';
import { environment } from '../../../shared/core/environment.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { type Bench, type Comparison, inTurns } from './side-by-side.ts';

const ROOT = join(import.meta.dirname, '../../..');
const LIBRARY = /^(ai|@ai-sdk\/(amazon-bedrock|openai-compatible))$/;

/** Leaves the library out of the bundle; loading the handler does not need it. */
const left: Plugin = {
  name: 'left',
  setup({ onResolve }) {
    onResolve({ filter: LIBRARY }, ({ path }) => ({ path, external: true }));
  },
};

const AT_ONCE = 'test/evidence/bench/worker/at-once.ts';
const AS_DEPLOYED = 'functions/run-task.lambda.ts';

async function bundleEntry(folder: string, name: string, entry: string, plugins: Plugin[] = []): Promise<string> {
  const outfile = join(folder, `${name}.js`);
  await build({
    ...lambdaOptions,
    plugins: [trim, ...plugins],
    entryPoints: [join(ROOT, entry)],
    // It imports without bindings: this keeps esbuild from dropping packages that declare no side effects.
    ignoreAnnotations: entry === AT_ONCE,
    outfile,
  });
  return outfile;
}

const PLACES = [
  'table',
  'bucket',
  'uploadsBucket',
  'masterSecret',
  'sockets',
  'agentsUrl',
  'highLane',
  'normalLane',
  'lowLane',
  'webhooks',
] as const;
const env = {
  AWS_REGION: 'eu-central-1',
  [environment.documentMegabytes]: '448',
  [environment.workers]: '40',
  ...Object.fromEntries(PLACES.map((place) => [environment[place], 'https://127.0.0.1/1/name'])),
};

const PROBE = `
  const cpu = process.cpuUsage();
  const startedAt = performance.now();
  require(process.argv[1]);
  const { user, system } = process.cpuUsage(cpu);
  process.stdout.write(JSON.stringify({ cpu: (user + system) / 1000, wall: performance.now() - startedAt }), () => process.exit());
`;

type Measured = 'cpu' | 'wall';
const started = (file: string): Record<Measured, number> =>
  JSON.parse(execFileSync(process.execPath, ['-e', PROBE, file], { env, encoding: 'utf8' }));

type Pair = { what: string; ours: string; reference: string; atMost: number };

async function compare({ what, ours, reference, atMost }: Pair, measured: Measured): Promise<Comparison> {
  const times = await inTurns(async (file: string) => started(file)[measured], { ours, reference });
  return { what: `${what} (${measured === 'cpu' ? 'CPU' : 'wall'})`, unit: 'ms', ...times, wanted: { atMost } };
}

export const bench: Bench = {
  title: 'Worker on Lambda',
  about:
    "From `require` of the worker's bundle to a handler that can be called, each time in a new process. The library is loaded when the first task calls a model; the references load it at once (with Bedrock's provider), or have none.",
  async run() {
    const folder = temporaryFolder();
    const ours = await bundleEntry(folder.path, 'deployed', AS_DEPLOYED);
    const atOnce = await bundleEntry(folder.path, 'at-once', AT_ONCE);
    const without = await bundleEntry(folder.path, 'without', AS_DEPLOYED, [left]);
    const pairs: Pair[] = [
      { what: 'start, over one that loads the library of models at once', ours, reference: atOnce, atMost: 0.9 },
      { what: 'start, over a worker without the library', ours, reference: without, atMost: 1.4 },
    ];
    const found: Comparison[] = [];
    for (const pair of pairs) found.push(await compare(pair, 'cpu'), await compare(pair, 'wall'));
    folder.remove();
    return found;
  },
};
