/** What a request pays for a function that nobody has called yet: loading its bundle, and the first call. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { lambdaOptions } from '../../scripts/bundle/options.ts';
import { bundle } from '../../scripts/bundle.ts';
import { ACCESS_TOKEN, issueToken, WEBSOCKET_TOKEN } from '../../shared/accounts/access-tokens.ts';
import { environment } from '../../shared/core/environment.ts';
import { ids } from '../../shared/core/ids.ts';
import { systemClock } from '../../shared/core/time.ts';
import type { MasterSecret } from '../../shared/ports.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { MASTER, openAws, VERSION } from './cold-start/aws.ts';
import { type Bench, type Comparison, inTurns } from './side-by-side.ts';

const ROUNDS = 15;
/** Every function stands below 0.6; the rest is for what machines differ in. */
const AT_MOST = 0.65;

/**
 * Init and the first call, as CPU of a process that did nothing else. The system counts the sum exactly and only guesses
 * which part is the user's.
 */
const PROBE = `
  const before = process.cpuUsage();
  const { handler } = require(process.argv[1]);
  const context = { getRemainingTimeInMillis: () => 29_000 };
  Promise.resolve(handler(JSON.parse(process.argv[2]), context)).then((answer) => {
    const { user, system } = process.cpuUsage(before);
    process.stdout.write('\\n' + JSON.stringify({ ms: (user + system) / 1_000, status: answer?.statusCode }), () => process.exit());
  });`;

const request = (path: string, headers: Record<string, string>) => ({
  rawPath: path,
  rawQueryString: '',
  headers: { host: 'api.host.org', ...headers },
  requestContext: { http: { method: 'GET', sourceIp: '192.0.2.1' }, domainName: 'api.host.org' },
});
const said = (text: object) => ({
  requestContext: { connectionId: 'c', eventType: 'MESSAGE', connectedAt: 0 },
  body: JSON.stringify(text),
});

const KEY = 'errand_EPj5a86cT4I_05imN7ImpZsIKTeKpqFWHBISOQFBjoocX3qpQ5j';

/** Signed by the secret of this bench, for somebody the table does not know. */
function tokenOf(kind: typeof ACCESS_TOKEN): Promise<string> {
  const clock = systemClock;
  const secrets = { master: async () => [{ version: VERSION, key: Buffer.from(MASTER) }] as [MasterSecret] };
  const person = { id: 'u', name: 'u', organization: 'o', role: 'member', disabled: false, createdAt: 0 } as const;
  return issueToken({ clock, secrets, ids: ids(clock) }, kind, person);
}

const inToken = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** By single sign-on: a password would cost most of a second, cold or warm. The issuer is one that nobody trusts. */
function loggingIn(): object {
  const claims = { iss: 'https://issuer.org', aud: 'errand', sub: 'u', email: 'u@host.org', exp: 4_000_000_000 };
  const token = `${inToken({ alg: 'RS256', kid: 'k' })}.${inToken(claims)}.${inToken({})}`;
  const event = request('/auth/login', { 'content-type': 'application/json' });
  const http = { method: 'POST', sourceIp: '192.0.2.1' };
  const requestContext = { ...event.requestContext, http };
  return { ...event, requestContext, body: JSON.stringify({ sso_token: token }) };
}

/** Each asks the table, the secrets or both, and is answered by our own code. */
const OURS = async () => ({
  'files-and-tasks': { event: request('/api/v1/tasks', { 'x-api-key': KEY }), status: 401 },
  agents: { event: request('/api/v1/tasks', { authorization: `Bearer ${await tokenOf(ACCESS_TOKEN)}` }), status: 401 },
  login: { event: loggingIn(), status: 401 },
  socket: { event: said({ type: 'authenticate', token: await tokenOf(WEBSOCKET_TOKEN) }), status: 200 },
});
const REFERENCE = {
  event: { ...request('/things/1', { authorization: 'Bearer own' }), body: '{"id":"1","tell":true}' },
  status: 404,
};

type Way = { file: string; event: object; status: number };

function measurer(address: string): (way: Way) => Promise<number> {
  const places = Object.values(environment).map((name) => [name, `${address}/1/name`]);
  const env = {
    ...Object.fromEntries(places),
    ...{ [environment.logLevel]: 'error', [environment.origins]: '', [environment.metrics]: 'Errand/bench' },
    ...{ [environment.badCredentials]: '300' },
    ...{ [environment.retentionDays]: '30', [environment.maxFileBytes]: '1000', [environment.sender]: 'a@host.org' },
    ...{ AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: address, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
  };
  return async ({ file, event, status }) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROBE, file, JSON.stringify(event)], { env });
    const found = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { ms: number; status: number };
    if (found.status !== status) throw new Error(`${file} answered ${found.status}, not ${status}.`);
    return found.ms;
  };
}

export const bench: Bench = {
  title: 'Cold start of the functions that answer',
  about:
    'CPU from `require` of the bundle to the answer of its first call, each time in a new process, AWS answered by another one. The reference is an API function with DynamoDB, SQS, jose, valibot and middy, bundled with the same options.',
  async run() {
    const folder = temporaryFolder();
    const aws = await openAws();
    const dist = join(folder.path, 'dist');
    await bundle(dist);
    const outfile = join(folder.path, 'reference.js');
    const entry = join(import.meta.dirname, 'cold-start/reference.ts');
    await build({ ...lambdaOptions, entryPoints: [entry], outfile });
    const reference = { ...REFERENCE, file: outfile };
    const found: Comparison[] = [];
    for (const [name, call] of Object.entries(await OURS())) {
      const ours = { ...call, file: join(dist, name, 'index.js') };
      const times = await inTurns(measurer(aws.address), { ours, reference }, ROUNDS);
      found.push({ what: `${name}: init and first call`, unit: 'ms', ...times, wanted: { atMost: AT_MOST } });
    }
    aws.close();
    folder.remove();
    return found;
  },
};
