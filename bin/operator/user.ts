/** `errand user`: the people of an organization. */

import { withAudit } from '../../shared/accounts/audit.ts';
import { makePassword } from '../../shared/accounts/lifecycle.ts';
import { ROLES, type Role } from '../../shared/accounts/organizations.ts';
import { issuerOfOrganization, linkUser } from '../../shared/accounts/sso.ts';
import {
  createUser,
  listUsers,
  type Person,
  personOf,
  removeUser,
  setDisabled,
  setPassword,
  setRole,
  userByName,
} from '../../shared/accounts/users.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import { endConnections } from '../../shared/realtime/connections.ts';
import type { CommandLine, Noun, Operator, Options } from './command.ts';
import { type CommandOutput, SHOWN_ONCE, type ShownValue, timeOf } from './command.ts';

import { findOrganization } from './org.ts';

const reportOf = ({ id, name, organization, role, disabled, createdAt }: Person): CommandOutput => ({
  id,
  name,
  organization,
  role,
  state: disabled ? 'disabled' : 'active',
  createdAt: timeOf(createdAt),
});

async function create(operator: Operator, { args: [name = ''], options }: CommandLine): Promise<ShownValue> {
  const role = roleFrom(options.role ?? '');
  const { id } = await findOrganization(operator.table, options.org ?? '');
  const { password, shown } = await passwordFrom(operator, options);
  const person = await withAudit(
    operator,
    { by: operator.by, act: 'user create', organization: id, subject: name, detail: role },
    () => createUser(operator, { organization: id, name, role, password }),
    (made) => ({ subject: made.name }),
  );
  return withPassword(reportOf(person), shown);
}

async function list({ table }: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const { id } = await findOrganization(table, org);
  return { report: (await listUsers(table, id)).map(reportOf) };
}

async function password(operator: Operator, { args: [name = ''], options }: CommandLine): Promise<ShownValue> {
  const person = await personNamed(operator, name);
  const chosen = await passwordFrom(operator, options);
  await changed(operator, { person, verb: 'password' }, async () => {
    await setPassword(operator, person.id, chosen.password);
    await ended(operator, person);
  });
  return withPassword({ id: person.id, name: person.name }, chosen.shown);
}

async function role(operator: Operator, { args: [name = '', wanted = ''] }: CommandLine): Promise<ShownValue> {
  const next = roleFrom(wanted);
  const person = await personNamed(operator, name);
  const detail = `${person.role} to ${next}`;
  await changed(operator, { person, verb: 'role', detail }, () => setRole(operator.table, person.id, next));
  return { report: reportOf({ ...person, role: next }) };
}

const switched =
  (verb: 'disable' | 'enable') =>
  async (operator: Operator, { args: [name = ''] }: CommandLine) => {
    const person = await personNamed(operator, name);
    const disabled = verb === 'disable';
    await changed(operator, { person, verb }, async () => {
      await setDisabled(operator.table, person.id, disabled);
      if (disabled) await ended(operator, person);
    });
    return { report: reportOf({ ...person, disabled }) };
  };

async function remove(operator: Operator, { args: [name = ''] }: CommandLine): Promise<ShownValue> {
  const person = await personNamed(operator, name);
  await changed(operator, { person, verb: 'remove' }, async () => {
    await removeUser(operator.table, person.id);
    await ended(operator, person);
  });
  return { report: { ...reportOf(person), state: 'removed' } };
}

/** For a user who existed before the single sign-on, or where it creates no users. */
async function linked(operator: Operator, { args: [name = '', sub = ''] }: CommandLine): Promise<ShownValue> {
  const person = await personNamed(operator, name);
  const trusted = await issuerOfOrganization(operator.table, person.organization);
  if (!trusted) throw new Problem('invalid', 'The organization has no SSO: set it up with "sso set".');
  const { issuer } = trusted;
  await changed(operator, { person, verb: 'link', detail: sub }, () =>
    linkUser(operator.table, person, { issuer, sub }),
  );
  return { report: { ...reportOf(person), issuer, subject: sub } };
}

const ended = (operator: Operator, { id, organization }: Person): Promise<void> =>
  endConnections(operator, organization, `user:${id}`);

type Change = { person: Person; verb: string; detail?: string };

const changed = (operator: Operator, { person, verb, detail }: Change, run: () => Promise<void>): Promise<void> =>
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

async function personNamed({ table }: Operator, name: string): Promise<Person> {
  const user = await userByName(table, name);
  if (user) return personOf(user);
  const shown = JSON.stringify(name.slice(0, 128));
  throw new Problem('notFound', `There is no user ${shown}: "npx errand user list ORG" shows them.`);
}

function roleFrom(text: string): Role {
  const found = ROLES.find((each) => each === text);
  if (found) return found;
  throw new Problem('invalid', `${JSON.stringify(text.slice(0, 80))} is not a role: give one of ${ROLES.join(', ')}.`);
}

/** A password that was typed elsewhere is not shown again. */
async function passwordFrom({ ids, readStdin }: Operator, options: Options) {
  if (options['password-stdin']) return { password: (await readStdin()).replace(/\r?\n$/, ''), shown: undefined };
  const made = makePassword(ids);
  return { password: made, shown: made };
}

const withPassword = (report: CommandOutput, shown: string | undefined): ShownValue =>
  shown === undefined ? { report } : { report: { ...report, password: shown }, note: SHOWN_ONCE };

export const user: Noun = {
  create: {
    usage: 'create NAME --org ORG --role ROLE [--password-stdin]',
    about: 'creates a user, with a given password or one that is shown only now',
    args: [1, 1],
    options: ['password-stdin'],
    needs: ['org', 'role'],
    run: create,
  },
  list: { usage: 'list ORG', about: 'lists the users of an organization', args: [1, 1], run: list },
  password: {
    usage: 'password NAME [--password-stdin]',
    about: 'changes the password of a user, and closes open connections',
    args: [1, 1],
    options: ['password-stdin'],
    run: password,
  },
  role: { usage: 'role NAME ROLE', about: 'changes the role of a user', args: [2, 2], run: role },
  disable: { usage: 'disable NAME', about: 'disables a user', args: [1, 1], run: switched('disable') },
  remove: { usage: 'remove NAME', about: 'removes a user for good', args: [1, 1], run: remove },
  link: {
    usage: 'link NAME SUBJECT',
    about: 'allows a user to log in with SSO, as SUBJECT of the issuer',
    args: [2, 2],
    run: linked,
  },
  enable: { usage: 'enable NAME', about: 'enables a user again', args: [1, 1], run: switched('enable') },
};
