/** `errand key`, `errand user` and `errand sso`: who may use the product for an organization. */
import { issuerUrlFault } from '../../engines/outbound/ssrf-policy.ts';
import { keyIdIn } from '../../shared/accounts/api-key-text.ts';
import {
  type ApiKey,
  apiKeyById,
  createKey,
  type ListedKey,
  listKeys,
  revokeKey,
} from '../../shared/accounts/api-keys.ts';
import { withAudit } from '../../shared/accounts/audit.ts';
import { ROLES, type Role } from '../../shared/accounts/caller.ts';
import { type Issuer, issuerOfOrganization, removeIssuer, setIssuer } from '../../shared/accounts/issuers.ts';
import { makePassword } from '../../shared/accounts/provision-organization.ts';
import { linkUser } from '../../shared/accounts/sso-users.ts';
import {
  createUser,
  listUsers,
  type PublicUser,
  removeUser,
  setDisabled,
  setPassword,
  setRole,
  toPublicUser,
  userByName,
} from '../../shared/accounts/users.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Table } from '../../shared/ports.ts';
import { endConnections } from '../../shared/realtime/end-connections.ts';
import {
  type CommandLine,
  type CommandOutput,
  type Noun,
  type Operator,
  type Options,
  SHOWN_ONCE,
  type ShownValue,
  timeOf,
  wholeNumber,
} from './command.ts';
import { findOrganization } from './org.ts';

async function addKey(operator: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const { name = 'API key', expires } = options;
  const organization = await findOrganization(operator.table, org);
  const keyRequest = {
    organization: organization.id,
    name,
    ...(expires === undefined ? {} : { expiresInDays: wholeNumber('expires', expires) }),
  };
  const { key, apiKey } = await withAudit(
    operator,
    { by: operator.by, act: 'key create', organization: organization.id, subject: name },
    () => createKey(operator, keyRequest),
    (created) => ({ subject: `key:${created.key.id}`, detail: created.key.name }),
  );
  const { id, expiresAt } = key;
  return {
    report: { id, organization: organization.id, name: key.name, apiKey, expiresAt: timeOf(expiresAt) },
    note: SHOWN_ONCE,
  };
}

async function showKeys({ table, clock }: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(table, org);
  const now = clock.now();
  return { report: (await listKeys(table, id)).map((key) => keyReport(key, now)) };
}

const keyReport = (key: ListedKey, now: number): CommandOutput => ({
  id: key.id,
  name: key.name,
  state: keyState(key, now),
  createdAt: timeOf(key.createdAt),
  lastUsedAt: timeOf(key.lastUsedAt),
  expiresAt: timeOf(key.expiresAt),
  revokedAt: timeOf(key.revokedAt),
});

function keyState({ revokedAt, expiresAt }: ListedKey, now: number): string {
  if (revokedAt !== undefined) return 'revoked';
  return expiresAt !== undefined && expiresAt <= now ? 'expired' : 'active';
}

async function revoke(operator: Operator, { args: [text = ''] }: CommandLine): Promise<ShownValue> {
  const { id, organization, name } = await keyNamed(operator.table, text);
  const act = { by: operator.by, act: 'key revoke', organization, subject: `key:${id}`, detail: name };
  await withAudit(operator, act, async () => {
    await revokeKey(operator, id);
    await endConnections(operator, organization, `key:${id}`);
  });
  return { report: { id, organization, name, state: 'revoked' } };
}

/** Finds a key by its id, or by its text if that has leaked. Errors do not repeat the text: it may be a secret. */
async function keyNamed(table: Table, text: string): Promise<ApiKey> {
  const key = await apiKeyById(table, keyIdIn(text) ?? text);
  if (key) return key;
  throw new Problem('notFound', 'No API key has this id: use one that "npx errand key list ORG" shows.');
}

const key: Noun = {
  create: {
    usage: 'create ORG [--name NAME] [--expires DAYS]',
    about: 'creates an API key, which is shown only now',
    args: [1, 1],
    options: ['name', 'expires'],
    run: addKey,
  },
  list: { usage: 'list ORG', about: 'lists the keys of an organization', args: [1, 1], run: showKeys },
  revoke: { usage: 'revoke KEY', about: 'revokes a key, by its id, within 30 seconds', args: [1, 1], run: revoke },
};

const personReport = ({ id, name, organization, role, disabled, createdAt }: PublicUser): CommandOutput => ({
  id,
  name,
  organization,
  role,
  state: disabled ? 'disabled' : 'active',
  createdAt: timeOf(createdAt),
});

async function addUser(operator: Operator, { args: [name = ''], options }: CommandLine): Promise<ShownValue> {
  const role = roleFrom(options.role ?? '');
  const { id } = await findOrganization(operator.table, options.org ?? '');
  const { password, shown: shownPassword } = await passwordFrom(operator, options);
  const person = await withAudit(
    operator,
    { by: operator.by, act: 'user create', organization: id, subject: name, detail: role },
    () => createUser(operator, { organization: id, name, role, password }),
    (created) => ({ subject: created.name }),
  );
  return withPassword(personReport(person), shownPassword);
}

async function showUsers({ table }: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(table, org);
  return { report: (await listUsers(table, id)).map(personReport) };
}

async function changePassword(operator: Operator, { args: [name = ''], options }: CommandLine): Promise<ShownValue> {
  const person = await personNamed(operator, name);
  const chosen = await passwordFrom(operator, options);
  await changeUser(operator, { person, verb: 'password' }, async () => {
    await setPassword(operator, person.id, chosen.password);
    await endConnectionsOf(operator, person);
  });
  return withPassword({ id: person.id, name: person.name }, chosen.shown);
}

async function changeRole(
  operator: Operator,
  { args: [name = '', requestedRole = ''] }: CommandLine,
): Promise<ShownValue> {
  const next = roleFrom(requestedRole);
  const person = await personNamed(operator, name);
  const detail = `${person.role} to ${next}`;
  await changeUser(operator, { person, verb: 'role', detail }, () => setRole(operator.table, person.id, next));
  return { report: personReport({ ...person, role: next }) };
}

const switchUser =
  (verb: 'disable' | 'enable') =>
  async (operator: Operator, { args: [name = ''] }: CommandLine) => {
    const person = await personNamed(operator, name);
    const disabled = verb === 'disable';
    await changeUser(operator, { person, verb }, async () => {
      await setDisabled(operator.table, person.id, disabled);
      if (disabled) await endConnectionsOf(operator, person);
    });
    return { report: personReport({ ...person, disabled }) };
  };

async function deleteUser(operator: Operator, { args: [name = ''] }: CommandLine): Promise<ShownValue> {
  const person = await personNamed(operator, name);
  await changeUser(operator, { person, verb: 'remove' }, async () => {
    await removeUser(operator.table, person.id);
    await endConnectionsOf(operator, person);
  });
  return { report: { ...personReport(person), state: 'removed' } };
}

/** Links an existing user to an identity of the single sign-on, for users that it did not create. */
async function link(operator: Operator, { args: [name = '', sub = ''] }: CommandLine): Promise<ShownValue> {
  const person = await personNamed(operator, name);
  const trusted = await issuerOfOrganization(operator.table, person.organization);
  if (!trusted) throw new Problem('invalid', 'The organization has no SSO: set it up with "sso set".');
  const { issuer } = trusted;
  await changeUser(operator, { person, verb: 'link', detail: sub }, () =>
    linkUser(operator.table, person, { issuer, sub }),
  );
  return { report: { ...personReport(person), issuer, subject: sub } };
}

const endConnectionsOf = (operator: Operator, { id, organization }: PublicUser): Promise<void> =>
  endConnections(operator, organization, `user:${id}`);

type Change = { person: PublicUser; verb: string; detail?: string };

const changeUser = (operator: Operator, { person, verb, detail }: Change, run: () => Promise<void>): Promise<void> =>
  withAudit(
    operator,
    {
      by: operator.by,
      act: `user ${verb}`,
      organization: person.organization,
      subject: person.name,
      ...definedFields({ detail }),
    },
    run,
  );

async function personNamed({ table }: Operator, name: string): Promise<PublicUser> {
  const user = await userByName(table, name);
  if (user) return toPublicUser(user);
  const quotedName = JSON.stringify(name.slice(0, 128));
  throw new Problem('notFound', `There is no user ${quotedName}: "npx errand user list ORG" shows them.`);
}

function roleFrom(text: string): Role {
  const role = ROLES.find((candidate) => candidate === text);
  if (role) return role;
  throw new Problem('invalid', `${JSON.stringify(text.slice(0, 80))} is not a role: give one of ${ROLES.join(', ')}.`);
}

/** A password from standard input is not shown again. */
async function passwordFrom({ ids, readStdin }: Operator, options: Options) {
  if (options['password-stdin']) return { password: (await readStdin()).replace(/\r?\n$/, ''), shown: undefined };
  const password = makePassword(ids);
  return { password: password, shown: password };
}

const withPassword = (report: CommandOutput, password: string | undefined): ShownValue =>
  password === undefined ? { report } : { report: { ...report, password: password }, note: SHOWN_ONCE };

const user: Noun = {
  create: {
    usage: 'create NAME --org ORG --role ROLE [--password-stdin]',
    about: 'creates a user, with a given password or one that is shown only now',
    args: [1, 1],
    options: ['password-stdin'],
    needs: ['org', 'role'],
    run: addUser,
  },
  list: { usage: 'list ORG', about: 'lists the users of an organization', args: [1, 1], run: showUsers },
  password: {
    usage: 'password NAME [--password-stdin]',
    about: 'changes the password of a user, and closes open connections',
    args: [1, 1],
    options: ['password-stdin'],
    run: changePassword,
  },
  role: { usage: 'role NAME ROLE', about: 'changes the role of a user', args: [2, 2], run: changeRole },
  disable: { usage: 'disable NAME', about: 'disables a user', args: [1, 1], run: switchUser('disable') },
  remove: { usage: 'remove NAME', about: 'removes a user for good', args: [1, 1], run: deleteUser },
  link: {
    usage: 'link NAME SUBJECT',
    about: 'allows a user to log in with SSO, as SUBJECT of the issuer',
    args: [2, 2],
    run: link,
  },
  enable: { usage: 'enable NAME', about: 'enables a user again', args: [1, 1], run: switchUser('enable') },
};

const MIN_AGE_SECONDS = 60;
const MAX_AGE_SECONDS = 366 * 86_400;

const issuerReport = (
  organization: string,
  { issuer, audience, keysAddress, admits, since, ...o }: Issuer,
): CommandOutput => ({
  organization,
  issuer,
  audience,
  keys: keysAddress,
  admits,
  ...(o.allowsPrivate ? { allowsPrivate: true } : {}),
  ...definedFields({ maxAgeSeconds: o.maxAgeSeconds }),
  since: timeOf(since),
});

/** Removes user names and passwords from a URL: rejected URLs are recorded in the audit too. */
const unlocked = (address: string): string => address.replaceAll(/[^/\\]+@/g, '');

async function setSso(operator: Operator, { args: [org = ''], options }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(operator.table, org);
  const { issuer = '', audience = '', keys: keysAddress = '', admit: admits = false } = options;
  const allowsPrivate = options['allow-private'] ?? false;
  const maxAgeSeconds = ageIn(options['max-age']);
  const act = {
    by: operator.by,
    act: 'sso set',
    organization: id,
    subject: unlocked(issuer),
    detail: `audience ${audience}`,
  };
  const trusted = await withAudit(operator, act, () =>
    setIssuer(
      operator,
      id,
      {
        issuer,
        audience,
        keysAddress,
        admits,
        allowsPrivate,
        ...definedFields({ maxAgeSeconds }),
      },
      issuerUrlFault,
    ),
  );
  return { report: issuerReport(id, trusted) };
}

function ageIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = wholeNumber('max-age', text);
  if (seconds >= MIN_AGE_SECONDS && seconds <= MAX_AGE_SECONDS) return seconds;
  throw new Problem('invalid', `--max-age takes ${MIN_AGE_SECONDS} to ${MAX_AGE_SECONDS} seconds.`);
}

async function showSso({ table }: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const { id, trusted } = await trustedBy(table, org);
  return { report: issuerReport(id, trusted) };
}

async function removeSso(operator: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const { table, by } = operator;
  const { id, trusted } = await trustedBy(table, org);
  const act = { by, act: 'sso remove', organization: id, subject: trusted.issuer };
  await withAudit(operator, act, () => removeIssuer(table, id));
  return { report: { ...issuerReport(id, trusted), state: 'removed' } };
}

async function trustedBy(table: Table, org: string) {
  const { id, name } = await findOrganization(table, org);
  const trusted = await issuerOfOrganization(table, id);
  if (trusted) return { id, trusted };
  throw new Problem('notFound', `${name} has no SSO: set it up with "npx errand sso set".`);
}

const sso: Noun = {
  set: {
    usage: 'set ORG --issuer URL --audience ID --keys URL [--admit] [--allow-private] [--max-age SECONDS]',
    about:
      'configures OIDC; --admit creates unknown users as viewers; --allow-private for an issuer inside your network; --max-age of an ID token (default 3600)',
    args: [1, 1],
    options: ['admit', 'allow-private', 'max-age'],
    needs: ['issuer', 'audience', 'keys'],
    run: setSso,
  },
  show: { usage: 'show ORG', about: 'shows the issuer of an organization', args: [1, 1], run: showSso },
  remove: { usage: 'remove ORG', about: 'removes the issuer', args: [1, 1], run: removeSso },
};

export const accessNouns = { key, user, sso };
