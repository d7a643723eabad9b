/** `errand org`: organizations, their models and limits. */
import { publicEndpointFault } from '../../engines/outbound/ssrf-policy.ts';
import { withAudit } from '../../shared/accounts/audit.ts';
import { CAPS, clearLimit, limitOf, overrideLimit } from '../../shared/accounts/caps.ts';
import { displayName } from '../../shared/accounts/display-name.ts';
import {
  type LimitOverride,
  listOrganizations,
  MODEL_ROLES,
  modelInRole,
  type Organization,
  organizationById,
  setModelRole,
  setModels,
  setSnapshots,
} from '../../shared/accounts/organizations.ts';
import { provisionOrganization } from '../../shared/accounts/provision-organization.ts';
import {
  DEFAULT_URLS,
  removeSearchProvider,
  SEARCH_PRESETS,
  type SearchProvider,
  searchProviderOf,
  setSearchProvider,
} from '../../shared/accounts/search-provider.ts';
import { isUuid } from '../../shared/core/ids.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import type { Cap, Limit } from '../../shared/limits/rate-limit.ts';
import type { Table } from '../../shared/ports.ts';
import { eraseOrganization } from '../../shared/transfer/erase-organization.ts';
import {
  type CommandLine,
  type CommandOutput,
  type Noun,
  type Operator,
  type Options,
  SHOWN_ONCE,
  type ShownValue,
  timeOf,
  UsageFault,
  wholeNumber,
} from './command.ts';

const MAX_LISTED = 5;

/** An organization is found by its id or by its exact name. */
export async function findOrganization(table: Table, text: string): Promise<Organization> {
  const byId = await organizationById(table, text);
  if (byId) return byId;
  const name = text.normalize('NFC').trim();
  const [match, ...duplicates] = (await listOrganizations(table)).filter((organization) => organization.name === name);
  const quotedName = JSON.stringify(name.slice(0, 100));
  if (!match)
    throw new Problem('notFound', `There is no organization ${quotedName}: "npx errand org list" shows them.`);
  if (duplicates.length === 0) return match;
  const ids = [match, ...duplicates].map(({ id }) => id);
  const candidates = [...ids.slice(0, MAX_LISTED), ...(ids.length > MAX_LISTED ? ['...'] : [])].join(', ');
  throw new Problem(
    'invalid',
    `${ids.length} organizations are called ${quotedName}: use one of the ids ${candidates}`,
  );
}

/** `errand org erase`: removes an organization with all its data, then counts what is left. */
async function erase(operator: Operator, { args: [org = ''], options: { confirm } }: CommandLine): Promise<ShownValue> {
  // By its id an organization is found even if an earlier erasure failed after it had removed the row.
  const id = isUuid(org) ? org : (await findOrganization(operator.table, org)).id;
  if (confirm !== id)
    throw new UsageFault(`org erase deletes all of its data permanently: repeat its id, --confirm ${id}.`);
  // The audit row contains only the organization's id, because the row stays.
  const erased = await withAudit(operator, { by: operator.by, act: 'org erase', subject: id }, () =>
    eraseOrganization(operator, id),
  );
  if (erased.rowsLeft + erased.blobsLeft > 0) {
    const leftovers = `${erased.rowsLeft} rows and ${erased.blobsLeft} blobs`;
    throw new Problem(
      'busy',
      `${leftovers} were written meanwhile: run it again in a minute, when its calls are rejected.`,
    );
  }
  return { report: { id, ...erased }, note: 'Everything is deleted, except the row that records the deletion.' };
}

/** A limit that can be overridden; unknown names are rejected, because an override would have no effect. */
type ChangeableLimit = Limit | Cap;

const isCap = (limit: ChangeableLimit): limit is Cap => 'most' in limit;

/** The rate limits of the product's routes. */
export async function knownRates(): Promise<Limit[]> {
  // Imported here, because the route tables load code that no other verb needs.
  const [{ filesAndTasks }, { agents }] = await Promise.all([
    import('../../functions/files-and-tasks/api.ts'),
    import('../../functions/agents/api.ts'),
  ]);
  const limits = [...filesAndTasks.routes, ...agents.routes].flatMap(({ limit }) => (limit ? [limit] : []));
  return [...new Map(limits.map((limit) => [limit.name, limit])).values()];
}

async function knownLimits(): Promise<Map<string, ChangeableLimit>> {
  const limits: ChangeableLimit[] = [...(await knownRates()), ...CAPS];
  return new Map(limits.map((limit) => [limit.name, limit]));
}

function knownLimit(limitsByName: Map<string, ChangeableLimit>, name: string): ChangeableLimit {
  const limit = limitsByName.get(name);
  if (limit) return limit;
  const quotedName = JSON.stringify(name.slice(0, 80));
  throw new Problem('notFound', `There is no limit ${quotedName}; there are ${[...limitsByName.keys()].join(', ')}.`);
}

/** `errand org limits`: the limits of an organization, and its overrides of the product's limits. */
const WINDOWS = ['minute', 'hour', 'most'] as const;

async function limits(operator: Operator, { args: [org = '', name], options }: CommandLine): Promise<ShownValue> {
  const { clear } = options;
  const windows = WINDOWS.filter((window) => options[window] !== undefined);
  const changes = clear || windows.length > 0;
  if (changes && name === undefined) throw new UsageFault('org limits needs the name of the LIMIT to change.');
  if (clear && windows.length > 0) throw new UsageFault('org limits clears or sets, not both.');
  const limitsByName = await knownLimits();
  const limit = name === undefined ? undefined : knownLimit(limitsByName, name);
  if (limit) checkFit(limit, windows);
  const current = await findOrganization(operator.table, org);
  const override = overrideIn(options);
  const organization = (limit && changes && (await change(operator, current, { limit, override }))) || current;
  return { report: (limit ? [limit] : [...limitsByName.values()]).map((entry) => limitsReport(organization, entry)) };
}

/** A rate has time windows; a cap has only `most`. */
function checkFit(limit: Limit | Cap, windows: readonly string[]): void {
  if (windows.some((window) => isCap(limit) !== (window === 'most'))) {
    throw new UsageFault(`org limits sets ${limit.name} by ${isCap(limit) ? '--most' : '--minute and --hour'}.`);
  }
}

const overrideIn = (options: Options): LimitOverride =>
  Object.fromEntries(
    WINDOWS.flatMap((window) => {
      const text = options[window];
      return text === undefined ? [] : [[window, wholeNumber(window, text)]];
    }),
  );

type Change = { limit: Limit | Cap; override: LimitOverride };

function change(operator: Operator, { id, name }: Organization, { limit, override }: Change) {
  const settings = Object.entries(override).map(([window, calls]) =>
    window === 'most' ? `at most ${calls}` : `${calls} a ${window}`,
  );
  return withAudit(
    operator,
    {
      by: operator.by,
      act: 'org limits',
      organization: id,
      subject: name,
      detail: `${limit.name}: ${settings.join(', ') || 'cleared'}`,
    },
    () =>
      settings.length === 0
        ? clearLimit(operator.table, id, limit.name)
        : overrideLimit(operator.table, id, { limit: limit.name, ...override }),
  );
}

function limitsReport(organization: Organization, limit: Limit | Cap): CommandOutput {
  const { minute, hour, most }: LimitOverride = limitOf(organization, limit);
  const overridden = Object.hasOwn(organization.limits, limit.name);
  return {
    limit: limit.name,
    minute: minute ?? null,
    hour: hour ?? null,
    most: most === undefined || most === Number.POSITIVE_INFINITY ? null : most,
    overridden,
  };
}

async function create(operator: Operator, { args: [typed = ''], options }: CommandLine): Promise<ShownValue> {
  const { founded, about } = await withAudit(
    operator,
    { by: operator.by, act: 'org create', subject: typed },
    async () => {
      if (!options.again) await demandFree(operator, displayName(typed));
      const about = await operator.noteOnModels(operator.models);
      return { founded: await provisionOrganization(operator, { name: typed, models: operator.models }), about };
    },
    ({ founded: { id, name, username } }) => ({ organization: id, subject: name, detail: `with user ${username}` }),
  );
  return { report: founded, note: about === undefined ? SHOWN_ONCE : `${about}\n${SHOWN_ONCE}` };
}

async function demandFree({ table }: Operator, name: string): Promise<void> {
  const namesake = (await listOrganizations(table)).find((organization) => organization.name === name);
  if (!namesake) return;
  const quotedName = JSON.stringify(name);
  throw new Problem(
    'invalid',
    `${namesake.id} is called ${quotedName} already: give another name, or --again for a second one.`,
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

async function changeModels(
  operator: Operator,
  { args: [org = '', ...modelNames], options }: CommandLine,
): Promise<ShownValue> {
  const { table, by } = operator;
  const organization = await findOrganization(table, org);
  const { id, name } = organization;
  if (options.role !== undefined) return modelRole(operator, organization, { role: options.role, wanted: modelNames });
  if (modelNames.length === 0) return { report: modelsReport(organization) };
  const act = { by, act: 'org models', organization: id, subject: name, detail: modelNames.join(', ') };
  const note = await withAudit(operator, act, async () => {
    const about = await operator.noteOnModels(modelNames, id);
    await setModels(table, id, modelNames);
    return about;
  });
  return { report: { id, name, models: modelNames }, ...definedFields({ note }) };
}

const modelsReport = (organization: Organization): CommandOutput => ({
  id: organization.id,
  name: organization.name,
  models: organization.models,
  ...definedFields(
    Object.fromEntries(
      MODEL_ROLES.map((role): [string, string | undefined] => [role, modelInRole(organization, role)]),
    ),
  ),
});

async function modelRole(
  operator: Operator,
  organization: Organization,
  { role: typed, wanted: modelNames }: { role: string; wanted: string[] },
): Promise<ShownValue> {
  const role = MODEL_ROLES.find((candidate) => candidate === typed);
  const [model, ...surplus] = modelNames;
  if (!role || model === undefined || surplus.length > 0)
    throw new UsageFault(
      `org models --role is ${MODEL_ROLES.slice(0, -1).join(', ')} or ${MODEL_ROLES.at(-1)}, with one MODEL.`,
    );
  const { id, name } = organization;
  const act = { by: operator.by, act: 'org models', organization: id, subject: name, detail: `${role}: ${model}` };
  const changed = await withAudit(operator, act, () => setModelRole(operator.table, id, role, model));
  return { report: modelsReport(changed ?? organization) };
}

/** `errand org search`: the search provider of an organization's research. */
async function search(operator: Operator, { args: [org = '', typed], options }: CommandLine): Promise<ShownValue> {
  const { table, by } = operator;
  const { id, name } = await findOrganization(table, org);
  if (options.clear) {
    if (typed !== undefined) throw new UsageFault('org search clears or sets, not both.');
    const act = { by, act: 'org search', organization: id, subject: name, detail: 'cleared' };
    await withAudit(operator, act, () => removeSearchProvider(table, id));
  }
  if (typed === undefined) {
    if (options.url !== undefined || options['key-stdin']) throw new UsageFault('org search needs a PRESET to set.');
    return { report: searchReport(id, await searchProviderOf(table, id)) };
  }
  const preset = SEARCH_PRESETS.find((candidate) => candidate === typed);
  if (!preset) throw new UsageFault(`org search takes ${SEARCH_PRESETS.join(', ')}.`);
  const url = searchUrlIn(options.url ?? DEFAULT_URLS[preset]);
  const key = options['key-stdin'] ? (await operator.readStdin()).replace(/\r?\n$/, '') : undefined;
  const act = { by, act: 'org search', organization: id, subject: name, detail: `${preset} at ${new URL(url).origin}` };
  const provider = await withAudit(operator, act, () =>
    setSearchProvider(operator, id, { preset, url, ...definedFields({ key }) }),
  );
  return { report: searchReport(id, provider) };
}

/** The outbound guard checks the URL again on every request. */
function searchUrlIn(text: string | undefined): string {
  if (text === undefined) throw new UsageFault('org search needs the --url of your SearXNG.');
  if (publicEndpointFault(text, []) === undefined && /^[^?#]+$/.test(text)) return new URL(text).href;
  throw new Problem(
    'invalid',
    'The URL of a search provider is a public HTTPS URL without a query, such as https://search.host.org/.',
  );
}

const searchReport = (organization: string, provider: SearchProvider | undefined): CommandOutput => ({
  organization,
  preset: provider?.preset ?? null,
  url: provider?.url ?? null,
  key: provider?.sealedKey === undefined ? null : 'set',
  since: timeOf(provider?.since),
});

/** `errand org snapshots`: whether research results keep the texts of cited sources. */
async function snapshots(operator: Operator, { args: [org = '', setting] }: CommandLine): Promise<ShownValue> {
  const { table, by } = operator;
  const organization = await findOrganization(table, org);
  const { id, name } = organization;
  if (setting === undefined) return { report: { id, name, snapshots: organization.snapshots !== false } };
  if (setting !== 'on' && setting !== 'off') throw new UsageFault('org snapshots takes on or off.');
  const act = { by, act: 'org snapshots', organization: id, subject: name, detail: setting };
  await withAudit(operator, act, () => setSnapshots(table, id, setting === 'on'));
  return { report: { id, name, snapshots: setting === 'on' } };
}

const MAX_MODELS = 100;

export const org: Noun = {
  create: {
    usage: 'create NAME [--again]',
    about:
      'creates an organization with a key, an admin and a webhook secret; --again allows a second one of that name',
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
    about: 'shows or changes its rate limits and its other limits',
    args: [1, 2],
    options: ['minute', 'hour', 'most', 'clear'],
    run: limits,
  },
  erase: {
    usage: 'erase ORG --confirm ID',
    about: 'deletes it with all of its data, permanently',
    args: [1, 1],
    options: ['confirm'],
    run: erase,
  },
  models: {
    usage: `models ORG [MODEL... | --role ${MODEL_ROLES.join('|')} MODEL]`,
    about: 'shows or sets the models it may name, the default first, and which its agents use for what',
    args: [1, MAX_MODELS],
    options: ['role'],
    run: changeModels,
  },
  search: {
    usage: 'search ORG [PRESET [--url URL] [--key-stdin] | --clear]',
    about: `shows, sets or removes what searches the web for its research: one of ${SEARCH_PRESETS.join(', ')}; the key is read from standard input`,
    args: [1, 2],
    options: ['url', 'key-stdin', 'clear'],
    run: search,
  },
  snapshots: {
    usage: 'snapshots ORG [on|off]',
    about: 'shows or sets whether the texts of the sources that its research cites can be fetched; on by default',
    args: [1, 2],
    run: snapshots,
  },
};
