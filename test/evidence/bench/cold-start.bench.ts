/** CPU time of a cold start: loading the bundle of a function, and its first call. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { lambdaOptions } from '../../../scripts/bundle/options.ts';
import { bundle } from '../../../scripts/bundle.ts';
import { ACCESS_TOKEN, issueToken, WEBSOCKET_TOKEN } from '../../../shared/accounts/access-tokens.ts';
import { ids } from '../../../shared/core/ids.ts';
import { systemClock } from '../../../shared/core/time.ts';
import type { MasterSecret } from '../../../shared/ports.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { MASTER, openAws, VERSION } from './cold-start/aws.ts';
import { functionEnvironment } from './cold-start/function-environment.ts';
import { type Bench, type Comparison, inTurns } from './side-by-side.ts';

const ROUNDS = 15;
const AT_MOST = 0.9;

/**
 * Init and the first call, as CPU time of a fresh process. Uses the sum of user and system time, because Linux counts only
 * the sum exactly.
 */
const PROBE = `
  const before = process.cpuUsage();
  const { handler } = require(process.argv[1]);
  const context = { getRemainingTimeInMillis: () => 29_000 };
  Promise.resolve(handler(JSON.parse(process.argv[2]), context)).then((answer) => {
    const { user, system } = process.cpuUsage(before);
    process.stdout.write('\\n' + JSON.stringify({ spent: (user + system) / 1_000, status: answer?.statusCode }), () => process.exit());
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

/** A token signed with this benchmark's secret, for a user that is not in the table. */
function tokenOf(kind: typeof ACCESS_TOKEN): Promise<string> {
  const clock = systemClock;
  const secrets = { master: async () => [{ version: VERSION, key: Buffer.from(MASTER) }] as [MasterSecret] };
  const person = { id: 'u', name: 'u', organization: 'o', role: 'member', disabled: false, createdAt: 0 } as const;
  return issueToken({ clock, secrets, ids: ids(clock) }, kind, person);
}

const inToken = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A login by single sign-on, because hashing a password takes most of a second. No organization trusts the issuer. */
function loggingIn(): object {
  const claims = { iss: 'https://issuer.org', aud: 'errand', sub: 'u', email: 'u@host.org', exp: 4_000_000_000 };
  const token = `${inToken({ alg: 'RS256', kid: 'k' })}.${inToken(claims)}.${inToken({})}`;
  const event = request('/auth/login', { 'content-type': 'application/json' });
  const http = { method: 'POST', sourceIp: '192.0.2.1' };
  const requestContext = { ...event.requestContext, http };
  return { ...event, requestContext, body: JSON.stringify({ sso_token: token }) };
}

/** Each request reads the table, the secrets or both, and is answered by the product's code. */
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
  const env = functionEnvironment(address);
  return async ({ file, event, status }) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', PROBE, file, JSON.stringify(event)], { env });
    const found = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { spent: number; status: number };
    if (found.status !== status) throw new Error(`${file} answered ${found.status}, not ${status}.`);
    return found.spent;
  };
}

export const bench: Bench = {
  title: 'Cold start of the functions that answer',
  about:
    'CPU from `require` of the bundle to the response of its first call, each time in a new process, with AWS simulated by another one. The reference is an API function with DynamoDB, SQS, jose, valibot and middy, bundled with the same options.',
  async run() {
    const folder = temporaryFolder();
    const aws = await openAws();
    const dist = join(folder.path, 'dist');
    await bundle(dist);
    async function buildEntry(name: string): Promise<string> {
      const outfile = join(folder.path, `${name}.js`);
      const entry = join(import.meta.dirname, 'cold-start', `${name}.ts`);
      await build({ ...lambdaOptions, entryPoints: [entry], outfile });
      return outfile;
    }
    const found: Comparison[] = [];
    const reference = { ...REFERENCE, file: await buildEntry('reference') };
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
