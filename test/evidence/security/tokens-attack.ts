/** Credentials that are invalid, expired, revoked or not yet valid, on every operation that requires one. */
import { sqliteAdminStore } from '../../../adapters/local/context.ts';
import { ACCESS_TOKEN, issueToken, WEBSOCKET_TOKEN } from '../../../shared/accounts/access-tokens.ts';
import { createKey, revokeKey } from '../../../shared/accounts/api-keys.ts';
import { removeUser, setDisabled, setPassword } from '../../../shared/accounts/users.ts';
import { eraseOrganization } from '../../../shared/transfer/erase-organization.ts';
import { BAD_TOKENS, takeApart } from '../../shared/accounts/login/bad-tokens.ts';
import { connect } from '../../shared/realtime/client.ts';
import type { Attacked } from './attack-target.ts';
import { inProcess } from './in-process.ts';
import { bearer, OPERATIONS, requestOf, unknownIds } from './operations.ts';
import { inBatches, type Outcome, type Part, until } from './part.ts';
import { ssoTokens } from './sso-attack.ts';
import type { Tenant } from './tenants.ts';

const UNAUTHORIZED = 401;
const DAY_MS = 86_400_000;
const AT_ONCE = 16;
/** HTTP headers cannot carry these; test/shared/accounts/login tries them without HTTP. */
const UNSENDABLE = new Set([
  'nothing',
  'characters that are none',
  'a hundred thousand characters',
  'a hundred thousand dots',
]);

const guarded = OPERATIONS.filter(({ caller }) => caller !== 'anyone');

/** Calls each operation that requires a credential, and returns those that accept it. */
async function refusedEverywhere(on: Attacked, token: string): Promise<string[]> {
  const broken: string[] = [];
  await inBatches(guarded, AT_ONCE, async (operation) => {
    const sent = requestOf(operation, unknownIds(operation.face));
    for (const headers of [bearer(token), { 'x-api-key': token }]) {
      const { status } = await on.send(operation.face, { ...sent, headers });
      if (status !== UNAUTHORIZED) broken.push(`${operation.name} with ${Object.keys(headers)}: ${status}`);
    }
  });
  return broken;
}

async function forged(on: Attacked, tenant: Tenant): Promise<Outcome> {
  const outcome: Outcome = { what: 'forged access tokens, on each operation', tried: 0, broken: [] };
  const good = await takeApart(on.local, tenant.tokens.admin);
  for (const [what, make] of Object.entries(BAD_TOKENS)) {
    // An API key is a valid credential here.
    if (UNSENDABLE.has(what) || what === 'an API key') continue;
    for (const one of await refusedEverywhere(on, await make(good))) outcome.broken.push(`${what}: ${one}`);
    outcome.tried += guarded.length * 2;
  }
  return outcome;
}

const later = (ms: number) => ({ now: () => Date.now() + ms });

/** Credentials that became invalid; the product may accept them for the documented cache time. */
async function ended(on: Attacked, tenant: Tenant, gone: Tenant): Promise<Outcome> {
  const { local } = on;
  const { people, tokens, id } = tenant;
  const at = (ms: number) => issueToken({ ...local, clock: later(ms) }, ACCESS_TOKEN, people.viewer);
  const key = (expiresInDays: number, ms: number) =>
    createKey({ ...local, clock: later(ms) }, { organization: id, name: 'old', expiresInDays });
  const revoked = await createKey(local, { organization: id, name: 'revoked' });
  const credentials: Record<string, string> = {
    'an hour old': await at(-3_600_000),
    'not yet valid': await at(120_000),
    'of a user who was erased': tokens.admin,
    'from before a new password': tokens.member,
    'of a user who was shut out': await issueToken(local, ACCESS_TOKEN, people.viewer),
    'of an organization that was erased': gone.tokens.admin,
    'an API key of an organization that was erased': gone.apiKey,
    'an API key that ran out': (await key(1, -2 * DAY_MS)).apiKey,
    'an API key that was revoked': revoked.apiKey,
    'an unknown API key': `${revoked.apiKey.slice(0, 20)}${'A'.repeat(20)}${revoked.apiKey.slice(40)}`,
  };
  await removeUser(local.table, people.admin.id);
  await setPassword({ ...local, passwords: on.tenants.passwords }, people.member.id, 'another password of theirs');
  await setDisabled(local.table, people.viewer.id, true);
  await revokeKey(local, revoked.key.id);
  const everything = sqliteAdminStore({ ...local, mails: local.folder.mail });
  await eraseOrganization({ ...local, everything, sockets: { close: async () => undefined } }, gone.id);
  const outcome: Outcome = { what: 'credentials that ended, on each operation', tried: 0, broken: [] };
  for (const [what, token] of Object.entries(credentials)) {
    const face = token.startsWith('errand_') ? 'files' : 'agents';
    const path = face === 'files' ? '/api/v1/models' : '/api/v1/usage';
    const refused = async () => (await on.send(face, { path, headers: bearer(token) })).status === UNAUTHORIZED;
    await until(refused, 3_000).catch(() => undefined); // waits for the cache to expire
    for (const one of await refusedEverywhere(on, token)) outcome.broken.push(`${what}: ${one}`);
    outcome.tried += guarded.length * 2;
  }
  return outcome;
}

async function replayedToSocket(on: Attacked, tenant: Tenant): Promise<Outcome> {
  const person = tenant.people.member;
  const make = (ms: number, kind = WEBSOCKET_TOKEN) => issueToken({ ...on.local, clock: later(ms) }, kind, person);
  const once = await make(0);
  const tokens: [string, string, boolean][] = [
    ['one that holds', once, true],
    ['the same again', once, false],
    ['one that ran out', await make(-61_000), false],
    ['one not yet valid', await make(120_000), false],
    ['an access token', tenant.tokens.member, false],
    ['an API key', tenant.apiKey, false],
    ['an access token for a socket', await make(0, { ...WEBSOCKET_TOKEN, type: ACCESS_TOKEN.type }), false],
  ];
  const outcome: Outcome = {
    what: 'tokens for a WebSocket, replayed and others',
    tried: tokens.length + 20,
    broken: [],
  };
  const opens = async (token: string): Promise<boolean> => {
    const client = await connect(on.product().local.agents.wsUrl);
    client.send({ type: 'authenticate', token });
    const { type } = await client.next();
    client.close();
    await client.closed();
    return type === 'authenticated';
  };
  for (const [what, token, wanted] of tokens) {
    if ((await opens(token)) !== wanted) outcome.broken.push(`${what} ${wanted ? 'opens nothing' : 'opens a socket'}`);
  }
  const raced = await make(0);
  const opened = (await Promise.all(Array.from({ length: 20 }, () => opens(raced)))).filter(Boolean);
  if (opened.length !== 1) outcome.broken.push(`one token opened ${opened.length} sockets at once`);
  return outcome;
}

export const tokens: Part = {
  name: 'tokens',
  promise: 'Forged, expired, future and revoked credentials are rejected',
  async run({ on, isShort }) {
    const [tenant, leaving] = [await on.tenants.found(), await on.tenants.found()];
    return [
      await forged(on, tenant),
      await replayedToSocket(on, tenant),
      await ssoTokens(on, tenant),
      await ended(on, leaving, await on.tenants.found()),
      ...(isShort
        ? []
        : [
            await inProcess('logging in and single sign-on, in process', [
              'test/shared/accounts/login',
              'test/shared/accounts/sso',
            ]),
          ]),
    ];
  },
};
