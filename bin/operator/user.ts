/** `errand user`: the people who log in for an organization. */
import { withAudit } from '../../shared/accounts/audit.ts';
import { ROLES, type Role } from '../../shared/accounts/caller.ts';
import { issuerOfOrganization } from '../../shared/accounts/issuers.ts';
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
} from './command.ts';
import { findOrganization } from './org.ts';

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

export const user: Noun = {
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
