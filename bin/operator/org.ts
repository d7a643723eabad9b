/** `errand org`: organizations, their models and their limits. */
import { withAudit } from '../../shared/accounts/audit.ts';
import { displayName, listOrganizations, type Organization, setModels } from '../../shared/accounts/organizations.ts';
import { provisionOrganization } from '../../shared/accounts/provision.ts';
import { Problem } from '../../shared/core/problem.ts';
import { findOrganization } from './find-organization.ts';
import { erase } from './org-erase.ts';
import { limits } from './org-limits.ts';
import { type CommandOutput, SHOWN_ONCE, type ShownValue, timeOf } from './show.ts';
import type { CommandLine, Noun, Operator } from './verb.ts';

async function create(operator: Operator, { args: [typed = ''], options }: CommandLine): Promise<ShownValue> {
  const { founded, about } = await withAudit(
    operator,
    { by: operator.by, act: 'org create', subject: typed },
    async () => {
      if (!options.again) await demandFree(operator, displayName(typed));
      const about = operator.noteOnModels(operator.models);
      return { founded: await provisionOrganization(operator, { name: typed, models: operator.models }), about };
    },
    ({ founded: { id, name, username } }) => ({ organization: id, subject: name, detail: `with user ${username}` }),
  );
  return { report: founded, note: about === undefined ? SHOWN_ONCE : `${about}\n${SHOWN_ONCE}` };
}

async function demandFree({ table }: Operator, name: string): Promise<void> {
  const taken = (await listOrganizations(table)).find((organization) => organization.name === name);
  if (!taken) return;
  const shown = JSON.stringify(name);
  throw new Problem(
    'invalid',
    `${taken.id} is called ${shown} already: give another name, or --again for a second one.`,
  );
}

const reportOf = ({ id, name, createdAt, models }: Organization): CommandOutput => ({
  id,
  name,
  createdAt: timeOf(createdAt),
  models,
});

async function show({ table }: Operator, { args: [org = ''] }: CommandLine): Promise<ShownValue> {
  const organization = await findOrganization(table, org);
  return { report: { ...reportOf(organization), limits: organization.limits } };
}

async function models(operator: Operator, { args: [org = '', ...wanted] }: CommandLine): Promise<ShownValue> {
  const { table, by } = operator;
  const { id, name, models: had } = await findOrganization(table, org);
  if (wanted.length === 0) return { report: { id, name, models: had } };
  const act = { by, act: 'org models', organization: id, subject: name, detail: wanted.join(', ') };
  const note = await withAudit(operator, act, async () => {
    const about = operator.noteOnModels(wanted);
    await setModels(table, id, wanted);
    return about;
  });
  return { report: { id, name, models: wanted }, ...(note === undefined ? {} : { note }) };
}

const MOST_MODELS = 100;

export const org: Noun = {
  create: {
    usage: 'create NAME [--again]',
    about: 'makes an organization with a key, an admin and a webhook secret; with --again another of that name',
    args: [1, 1],
    options: ['again'],
    founds: true,
    run: create,
  },
  list: {
    usage: 'list',
    about: 'lists the organizations',
    args: [0, 0],
    run: async ({ table }) => ({ report: (await listOrganizations(table)).map(reportOf) }),
  },
  show: { usage: 'show ORG', about: 'shows one of them', args: [1, 1], run: show },
  limits: {
    usage: 'limits ORG [LIMIT --minute N --hour N | LIMIT --most N | LIMIT --clear]',
    about: 'shows or changes how many calls it may make, and what it may have at once',
    args: [1, 2],
    options: ['minute', 'hour', 'most', 'clear'],
    run: limits,
  },
  erase: {
    usage: 'erase ORG --confirm ID',
    about: 'removes it with all that it has, for ever',
    args: [1, 1],
    options: ['confirm'],
    run: erase,
  },
  models: {
    usage: 'models ORG [MODEL...]',
    about: 'shows or sets the models it may name, the default first',
    args: [1, MOST_MODELS],
    run: models,
  },
};
