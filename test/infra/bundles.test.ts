import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lambdaOptions } from '../../scripts/bundle/options.ts';
import { bundle } from '../../scripts/bundle.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { faces, ownFunctions, type Resources, templateOf } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const bundles = join(folder.path, 'dist');
const names = Object.values(faces).map(({ name }) => name);
const textOf = (name: string) => readFileSync(join(bundles, name, 'index.js'), 'utf8');
const metaOf = (name: string) => JSON.parse(readFileSync(join(bundles, 'meta', `${name}.json`), 'utf8')) as Metafile;

let bareBytes = 0;
let functions: Resources = {};

beforeAll(async () => {
  expect(await bundle(bundles)).toEqual([...names, 'reconcile', 'run-task'].sort());
  const bare = fileURLToPath(import.meta.resolve('./bare-lib-dynamodb.ts'));
  const { outputFiles } = await build({ ...lambdaOptions, entryPoints: [bare], write: false });
  bareBytes = outputFiles[0]?.contents.byteLength ?? 0;
  functions = ownFunctions(templateOf(folder.path, 'dev', bundles));
});

it('makes the same bundles again, byte for byte', async () => {
  const before = names.map(textOf);
  await bundle(bundles);
  expect(names.map(textOf)).toEqual(before);
});

describe.each(Object.entries(faces))('the bundle of %s', (id, { name }) => {
  it('weighs at most 1.3 of a bare function that reads one item', () => {
    const bytes = Object.values(metaOf(name).outputs).find(({ entryPoint }) => entryPoint)?.bytes ?? Infinity;
    expect(bytes / bareBytes).toBeLessThan(1.3);
  });

  it('is alone in its folder, and holds no map, no path of this machine and no list of our packages', () => {
    expect(readdirSync(join(bundles, name))).toEqual(['index.js']);
    expect(textOf(name)).not.toContain('sourceMappingURL');
    expect(textOf(name)).not.toContain(process.cwd());
    expect(textOf(name)).not.toContain('devDependencies');
  });

  it('holds nothing of the ways to get credentials that do not exist on Lambda', () => {
    const inputs = Object.keys(metaOf(name).inputs).join('\n');
    expect(inputs).toContain('credential-provider-env');
    expect(inputs).not.toMatch(/nested-clients|credential-provider-(sso|ini|process|imds|http|web-identity|login)/);
  });

  it('holds no shape of what S3 can do besides', () => {
    expect(textOf(name)).not.toMatch(/IntelligentTiering|ReplicationRule|InventoryFilter/);
  });

  it('starts with the environment that the stack gives it, reads all of that and nothing else, and answers', () => {
    const variables = environmentOf(id);
    const { asked, answer } = startedWith(name, variables);
    expect(asked.sort()).toEqual(Object.keys(variables).sort());
    expect(answer).toMatchObject({ statusCode: 200, headers: { 'cache-control': 'no-store' } });
    expect(JSON.parse(answer.body)).toEqual({ status: 'ok', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  });
});

/** What the stack tells the function, the name of a resource standing for what it refers to. */
function environmentOf(id: string): Record<string, string> {
  const [, lambda] = Object.entries(functions).find(([key]) => key.startsWith(`${id}Function`)) ?? [];
  const { Variables } = (lambda?.Properties.Environment ?? {}) as {
    Variables: Record<string, string | { Ref: string }>;
  };
  return Object.fromEntries(
    Object.entries(Variables).map(([key, value]) => [key, typeof value === 'string' ? value : value.Ref]),
  );
}

const PROBE = `
  const asked = new Set();
  process.env = new Proxy(process.env, {
    get: (env, name) => (/^ERRAND_/.test(String(name)) && asked.add(name), env[name]),
  });
  const http = { method: 'GET', sourceIp: '192.0.2.1' };
  const event = { rawPath: '/health', rawQueryString: '', headers: {}, requestContext: { http } };
  const context = { getRemainingTimeInMillis: () => 29_000 };
  require(process.argv[1]).handler(event, context).then((answer) => {
    process.stdout.write(JSON.stringify({ asked: [...asked], answer }), () => process.exit());
  });
`;

type Started = { asked: string[]; answer: { statusCode: number; headers: Record<string, string>; body: string } };

function startedWith(name: string, variables: Record<string, string>): Started {
  const env = { ...variables, AWS_REGION: 'eu-central-1' };
  const printed = execFileSync(process.execPath, ['-e', PROBE, join(bundles, name, 'index.js')], { env });
  return JSON.parse(String(printed).trim().split('\n').at(-1) ?? '') as Started;
}
