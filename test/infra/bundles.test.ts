import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundledReaderFiles } from '../../engines/documents/reader-files.ts';
import { bundledFontFiles } from '../../engines/fonts/font.ts';
import { publicSourcesFile } from '../../engines/sources/bundled-sources.ts';
import { bodyTexts as agentsTexts } from '../../functions/agents/contract.ts';
import { CONTRACT_FILES } from '../../functions/contract-routes.ts';
import { bodyTexts as filesTexts } from '../../functions/files-and-tasks/contract.ts';
import { FONT_LICENCE } from '../../scripts/bundle/fonts.ts';
import { LICENCES } from '../../scripts/bundle/licences.ts';
import { lambdaOptions } from '../../scripts/bundle/options.ts';
import { bundle } from '../../scripts/bundle.ts';
import { DATA, PROGRAMS } from '../../scripts/loaded-by-path.ts';
import { expectRecordedWeight } from '../support/recorded-weights.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { apis, ownFunctions, type Resources, templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const bundles = join(folder.path, 'dist');
/** Those that answer no health. */
const workers = {
  Reconcile: 'reconcile',
  RunTask: 'run-task',
  SendWebhook: 'send-webhook',
  Socket: 'socket',
  Login: 'login',
} as const;
/** Files that are loaded by path from the folder of a bundle. */
const filesFor = (name: string) =>
  [...PROGRAMS, ...DATA].flatMap(({ bundle: [of, as] = ['', ''] }) => (of === name ? [as] : []));
const names = [...Object.values(apis).map(({ name }) => name), ...Object.values(workers)];
const textOf = (name: string) => readFileSync(join(bundles, name, 'index.js'), 'utf8');
const metaOf = (name: string) => JSON.parse(readFileSync(join(bundles, 'meta', `${name}.json`), 'utf8')) as Metafile;

const CONTRACTS: Record<string, Record<string, string>> = CONTRACT_FILES;

let bareBytes = 0;
let functions: Resources = {};

beforeAll(async () => {
  expect(await bundle(bundles)).toEqual(names.toSorted());
  const bare = fileURLToPath(import.meta.resolve('./bare-lib-dynamodb.ts'));
  const { outputFiles } = await build({ ...lambdaOptions, entryPoints: [bare], write: false });
  bareBytes = outputFiles[0]?.contents.byteLength ?? 0;
  functions = ownFunctions(templateOf(folder.path, 'dev', bundles));
}, 60_000);

it('builds the same bundles twice, byte for byte', async () => {
  const before = names.map(textOf);
  const again = join(folder.path, 'again');
  await bundle(again);
  expect(names.map((name) => readFileSync(join(again, name, 'index.js'), 'utf8'))).toEqual(before);
});

it.each(['files-and-tasks', 'send-webhook'])('sends no webhook of %s to the machine that it runs on', (name) => {
  const taken = /allowsLoopback:(![01])/.exec(textOf(name));
  expect(taken?.[1]).toBe('!1');
  expect(textOf(name)).not.toContain('allowsLoopback:!0');
});

/** In thousandths of the bare function that reads one item, so that an update of esbuild or the SDK changes it little. */
function weightOf(name: string): number {
  const bytes = Object.values(metaOf(name).outputs).find(({ entryPoint }) => entryPoint)?.bytes ?? Infinity;
  return Math.round((1_000 * bytes) / bareBytes);
}

it.each(names)('weighs %s about what is recorded of it', (name) => {
  expectRecordedWeight(name, weightOf(name));
});

/** The static imports of an entry, direct and indirect. */
function loadedAtStart(name: string): string[] {
  const { inputs } = metaOf(name);
  const loaded = new Set([`functions/${name}.lambda.ts`]);
  for (const file of loaded) {
    for (const { path, kind } of inputs[file]?.imports ?? []) if (kind !== 'dynamic-import') loaded.add(path);
  }
  return [...loaded].filter((file) => file in inputs);
}

it('writes the licence texts of the packages that it ships', () => {
  const text = readFileSync(join(bundles, LICENCES), 'utf8');
  for (const name of ['valibot', 'ai', 'unpdf', 'preact', '@tesseract.js-data/eng', '@smithy/signature-v4'])
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+: (MIT|Apache-2.0)$`, 'm'));
  expect(text).not.toContain(process.cwd());
});

it('reads a source by a program beside the function, which its bundle does not contain', () => {
  const program = join(bundles, 'agents', 'read-snapshot.js');
  const read = `const { readSnapshot } = require(process.argv[1]);
    readSnapshot({}, undefined, '1').then((answer) => process.stdout.write(JSON.stringify(answer)))`;
  expect(JSON.parse(String(execFileSync(process.execPath, ['-e', read, program])))).toEqual({
    problem: 'notFound',
    message: expect.stringMatching(/^No text of this source is kept/),
  });
  // Errors of the bucket are thrown by the function, which would not recognize a `Problem` of the program.
  expect(readFileSync(program, 'utf8')).not.toContain('S3 storage configuration missing');
  expect(textOf('agents')).toContain('/read-snapshot.js');
  expect(Object.keys(metaOf('agents').inputs).join('\n')).not.toMatch(/(?:^|\n)(?:agents|engines\/documents)\//);
});

it('reaches the models of every provider by a program beside the worker', () => {
  const program = join(bundles, 'run-task', 'model-providers.js');
  const reach = `const { PROVIDERS, bedrockModels } = require(process.argv[1]);
    const credentials = async () => ({ accessKeyId: 'id', secretAccessKey: 'key' });
    const bedrock = bedrockModels({ region: async () => 'eu-central-1', credentials, fetchTo: () => fetch });
    const named = Object.values(PROVIDERS).map((modelsOf) => modelsOf({ baseUrl: 'http://127.0.0.1:1/v1', key: 'k' }));
    Promise.all([...named, bedrock].map((model) => model('m'))).then((all) =>
      process.stdout.write(JSON.stringify(all.map(({ provider }) => provider))))`;
  expect(JSON.parse(String(execFileSync(process.execPath, ['-e', reach, program], { encoding: 'utf8' })))).toEqual([
    'openai.responses',
    'openai.responses',
    'anthropic.messages',
    'google.generative-ai',
    'openai.chat',
    'amazon-bedrock',
  ]);
  expectRecordedWeight('model-providers', Math.round((1_000 * statSync(program).size) / bareBytes));
});

it('loads the client of S3 beside the handler with the first use of a bucket', () => {
  const program = join(bundles, 'files-and-tasks', 's3-client.js');
  expect(textOf('files-and-tasks')).toContain('require("./s3-client.js")');
  expectRecordedWeight('s3-client', Math.round((1_000 * statSync(program).size) / bareBytes));
});

it.each(Object.values(apis))('keeps $name within 0.6 MB before that', ({ name }) => {
  expect(textOf(name).length).toBeLessThan(600_000);
});

it('contains no URL of a model gateway', () => {
  for (const name of names) expect(textOf(name).includes('ai-gateway.vercel'), name).toBe(false);
});

it('loads threads, sources, fonts and contracts under the listed names', () => {
  const { workerFile, rulesFile, assets } = bundledReaderFiles('.');
  const files = [
    workerFile,
    rulesFile,
    ...Object.values(assets),
    ...Object.values(bundledFontFiles('.')),
    publicSourcesFile('.'),
  ];
  expect(
    files
      .map((file) => basename(file))
      .concat(FONT_LICENCE, 'model-providers.js', 's3-client.js')
      .sort(),
  ).toEqual(filesFor('run-task').sort());
  for (const [name, contracts] of Object.entries(CONTRACTS)) {
    const program = name === 'agents' ? ['read-snapshot.js'] : [];
    expect(filesFor(name)).toEqual([...program, 's3-client.js', ...Object.keys(contracts)]);
  }
});

describe.each(Object.entries(apis))('the bundle of %s', (id, { name }) => {
  it('starts with the environment of the stack, reads all of it and nothing else, and answers', () => {
    const variables = environmentOf(id);
    const { asked, answer } = startWith(name, variables, HEALTH);
    expect(asked.sort()).toEqual(Object.keys(variables).sort());
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'cache-control': 'no-store' } });
    expect(JSON.parse(answer.body)).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });
});

describe.each(Object.entries(apis))('the bundle of %s', (id, { name }) => {
  it('answers with the contracts in its own folder', () => {
    for (const [as, file] of Object.entries(CONTRACTS[name] ?? {})) {
      const event = { ...HEALTH, rawPath: `/${as}` };
      const { answer } = startWith(name, environmentOf(id), event);
      expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
      const written: unknown = JSON.parse(readFileSync(join('contracts', file), 'utf8'));
      expect(JSON.parse(answer.body)).toEqual(written);
    }
  });
});

describe.each(Object.entries(workers))('the bundle of %s', (id, name) => {
  it('starts with the environment of the stack, and reads all of it and nothing else', () => {
    const variables = environmentOf(id);
    expect(startWith(name, variables).asked.sort()).toEqual(Object.keys(variables).sort());
  });
});

describe.each(names)('the bundle %s', (name) => {
  it('is in a folder with the files that it loads by path and no others, without source maps, paths of this machine or a list of our packages', () => {
    expect(readdirSync(join(bundles, name)).sort()).toEqual([...filesFor(name), 'index.js'].sort());
    // What it requires with the first use of a bucket is there.
    expect(filesFor(name).includes('s3-client.js')).toBe(textOf(name).includes('require("./s3-client.js")'));
    expect(textOf(name)).not.toContain('sourceMappingURL');
    expect(textOf(name)).not.toContain(process.cwd());
    expect(textOf(name)).not.toContain('devDependencies');
  });

  it("has no way to other credentials than its role's, and S3's client in a file of its own", () => {
    const unused =
      /@aws-sdk\/(client-s3|lib-storage|s3-request-presigner|nested-clients|credential-provider-(?!node|env))/;
    expect(Object.keys(metaOf(name).inputs).join('\n')).not.toMatch(unused);
  });

  it('contains no library of a provider of models', () => {
    const libraries = /node_modules\/@ai-sdk\/(openai|anthropic|google|amazon-bedrock)/;
    expect(Object.keys(metaOf(name).inputs).join('\n')).not.toMatch(libraries);
  });

  it('loads no model library when it starts', () => {
    // The provider package is the types and a few classes of errors, which trying again has to tell apart.
    const libraries = /node_modules\/(ai|@ai-sdk\/(?!provider\/))/;
    expect(loadedAtStart(name).filter((file) => libraries.test(file))).toEqual([]);
  });

  it('loads no compression when it starts, unless it works on tasks', () => {
    const loads = /require\("(node:)?zlib"\)/.test(textOf(name));
    expect(loads && name !== 'run-task').toBe(false);
  });

  it('contains nothing that only the API documents need', () => {
    expect(Object.keys(metaOf(name).inputs).join('\n')).not.toMatch(/\/contract\.ts/);
    const texts = Object.values({ ...agentsTexts, ...filesTexts }).flatMap((fields) => Object.values(fields));
    expect(texts.filter((text) => textOf(name).includes(text))).toEqual([]);
  });

  it('draws no chart and makes no report, unless it works on tasks', () => {
    const unused = name === 'run-task' ? /playwright/ : /engines\/(charts|fonts|reports)|resvg/;
    expect(Object.keys(metaOf(name).inputs).join('\n')).not.toMatch(unused);
  });
});

const JOINED: Record<string, string> = {
  ERRAND_SCHEDULED_LANES: 'arn:high,arn:normal,arn:low',
  ERRAND_ORIGINS: 'https://edge.of.the.stack',
};

/** The function's environment from the template, with references replaced by the names of resources. */
function environmentOf(id: string): Record<string, string> {
  const [, lambda] = Object.entries(functions).find(([key]) => key.startsWith(`${id}Function`)) ?? [];
  const { Variables } = (lambda?.Properties.Environment ?? {}) as {
    Variables: Record<string, string | { Ref?: string }>;
  };
  return Object.fromEntries(
    Object.entries(Variables).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : (value.Ref ?? JOINED[key] ?? 'https://gateway.of.the.connections/live'),
    ]),
  );
}

const PROBE = `
  const asked = new Set();
  process.env = new Proxy(process.env, {
    get: (env, name) => (/^ERRAND_/.test(String(name)) && asked.add(name), env[name]),
  });
  const { handler } = require(process.argv[1]);
  const event = JSON.parse(process.argv[2]);
  const context = { getRemainingTimeInMillis: () => 29_000 };
  Promise.resolve(event && handler(event, context)).then((answer) => {
    process.stdout.write(JSON.stringify({ asked: [...asked], answer }), () => process.exit());
  });
`;

const http = { method: 'GET', sourceIp: '192.0.2.1' };
const HEALTH = { rawPath: '/health', rawQueryString: '', headers: {}, requestContext: { http } };

type Started = { asked: string[]; answer: { statusCode: number; headers: Record<string, string>; body: string } };

/** Without an event, the function is only loaded. */
function startWith(name: string, variables: Record<string, string>, event: object | null = null): Started {
  const env = { ...variables, AWS_REGION: 'eu-central-1' };
  const printed = execFileSync(
    process.execPath,
    ['-e', PROBE, join(bundles, name, 'index.js'), JSON.stringify(event)],
    { env },
  );
  return JSON.parse(String(printed).trim().split('\n').at(-1) ?? '') as Started;
}
