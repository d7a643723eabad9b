/** `errand model`: named connections to models, of the operator or of one organization. */
import { modelFinder } from '../../engines/models/connect.ts';
import { answers, type ModelCheck, probeModel } from '../../engines/models/probe.ts';
import { outbound } from '../../engines/outbound/request.ts';
import { type Act, withAudit } from '../../shared/accounts/audit.ts';
import {
  ENVIRONMENT_CONNECTIONS,
  isLocal,
  MODEL_PROVIDERS,
  type ModelConnection,
  type ModelProvider,
  originOf,
  withVersion,
} from '../../shared/accounts/model-connections.ts';
import { connectionIn, faultOfModels, OFFLINE_MODELS, writesText } from '../../shared/accounts/models.ts';
import { listOrganizations, type Organization, setModelRole, setModels } from '../../shared/accounts/organizations.ts';
import {
  checkConnectionName,
  checkModelKey,
  connectionNames,
  openConnection,
  removeModelConnection,
  type StoredConnection,
  storeConnection,
  storedConnection,
  storedConnections,
} from '../../shared/accounts/stored-connections.ts';
import { nearestName } from '../../shared/core/nearest-name.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import { Problem } from '../../shared/core/problem.ts';
import {
  type CommandLine,
  type CommandOutput,
  type Noun,
  type Operator,
  type Options,
  type ShownValue,
  timeOf,
  UsageFault,
} from './command.ts';
import { findOrganization } from './org.ts';

const organizationIn = async ({ table }: Operator, { org }: Options): Promise<Organization | undefined> =>
  org === undefined ? undefined : findOrganization(table, org);

async function add(operator: Operator, { args: [name = ''], options }: CommandLine): Promise<ShownValue> {
  checkConnectionName(name);
  const provider = providerIn(options.provider);
  const model = options.strong ?? '';
  const url = urlIn(provider, options.url);
  const key = options['key-stdin'] ? (await operator.readStdin()).replace(/\r?\n$/, '') : undefined;
  if (key !== undefined) checkModelKey(key);
  else if (NEEDS_KEY.has(provider)) {
    throw new UsageFault(`${provider} needs a key: give --key-stdin and the key on standard input.`);
  }
  const organization = await organizationIn(operator, options);
  const connection: ModelConnection = { provider, ...definedFields({ url, key }) };
  if (options.stage !== undefined && isLocal(connection)) {
    throw new Problem(
      'invalid',
      `A stage does not reach ${originOf(connection)}, which is this machine: give another --url.`,
    );
  }
  const models = namedModels(name, options);
  const unfit = faultOfModels(Object.values(models), [name]);
  if (unfit !== undefined) throw new Problem('invalid', unfit);
  const detail = `${provider} at ${originOf(connection)}`;
  const { stored, checks } = await withAudit(
    operator,
    actOn(operator, 'model add', { name, organization, detail }),
    async () => {
      const checks = await probe(operator, { id: models.strong, connection });
      if (!options.anyway) demandAnswer(models.strong, checks);
      const stored = await storeConnection(operator, organization?.id, { name, model, connection });
      if (organization) await assignModels(operator, organization, models);
      return { stored, checks };
    },
  );
  const grants = options.stage !== undefined && provider === 'bedrock' && key === undefined ? [GRANTS] : [];
  const note = [linesOf(checks), ...grants, ...nextSteps(models, connection, organization)].join('\n\n');
  return { report: reportOf(stored, organization?.name ?? 'every organization'), note };
}

/** The checks were made with the credentials of the shell. */
const GRANTS =
  'Without a key the workers of the stage call it with their role, which may call the models that the stage was deployed with alone (-c models=bedrock/...).';

function demandAnswer(id: string, checks: readonly ModelCheck[]): void {
  const fault = checks.find(({ state }) => state === 'wrong');
  if (!fault) return;
  const remedy = 'Add --anyway to keep the connection all the same.';
  const detail = /[.?!]$/.test(fault.detail) ? fault.detail : `${fault.detail}.`;
  throw new Problem('invalid', `${id} does not answer. ${fault.check}: ${detail} ${remedy}`);
}

const NEEDS_KEY: ReadonlySet<ModelProvider> = new Set(['openai', 'anthropic', 'google', 'azure']);
const NEEDS_URL: ReadonlySet<ModelProvider> = new Set(['azure', 'openai-compatible']);

function providerIn(typed: string | undefined): ModelProvider {
  const provider = MODEL_PROVIDERS.find((candidate) => candidate === typed);
  if (provider) return provider;
  const nearest = nearestName(typed ?? '', MODEL_PROVIDERS);
  const suggestion = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  throw new UsageFault(`model add takes as --provider ${MODEL_PROVIDERS.join(', ')}.${suggestion}`);
}

/** The operator sets the address, so it may be private. A key in the address would be stored in clear. */
function urlIn(provider: ModelProvider, typed: string | undefined): string | undefined {
  if (typed === undefined) {
    if (!NEEDS_URL.has(provider)) return undefined;
    throw new UsageFault(`${provider} needs the --url of your server, such as https://models.host.org/v1.`);
  }
  if (/^https?:\/\/[^@\s?#]+$/.test(typed) && URL.canParse(typed)) return withVersion(provider, typed);
  throw new Problem(
    'invalid',
    '--url takes an HTTP or HTTPS address without user, password and query, such as https://models.host.org/v1.',
  );
}

/** A standby is reached by another connection, so `org models` sets it. */
const ROLES_OF_CONNECTION = ['strong', 'cheap', 'verify'] as const;
type NamedModels = { strong: string; cheap?: string; verify?: string };

const namedModels = (name: string, { strong = '', cheap, verify }: Options): NamedModels => {
  const idOf = (model: string | undefined) => (model === undefined ? undefined : `${name}/${model}`);
  return { strong: `${name}/${strong}`, ...definedFields({ cheap: idOf(cheap), verify: idOf(verify) }) };
};

/** The models of the connection come first, and the strong one is the default; the others stay. */
async function assignModels({ table }: Operator, { id, models }: Organization, roles: NamedModels): Promise<void> {
  const names = await connectionNames(table, id);
  // Models whose connection was removed cannot be kept.
  const otherModels = models.filter((model) => !writesText(model) || names.includes(connectionIn(model)));
  await setModels(table, id, [...new Set([...Object.values(roles), ...otherModels])]);
  for (const role of ROLES_OF_CONNECTION) {
    const model = roles[role];
    if (model !== undefined) await setModelRole(table, id, role, model);
  }
}

function nextSteps(models: NamedModels, connection: ModelConnection, organization: Organization | undefined): string[] {
  const { strong, ...roles } = models;
  const host = isLocal(connection) ? undefined : originOf(connection);
  const leaves = host === undefined ? [] : [`Files that a task reads with these models are sent to ${host}.`];
  if (organization) return [`${strong} is the default of ${organization.name} now.`, ...leaves];
  const commands = [
    `npx errand org models ORG ${[...new Set(Object.values(models))].join(' ')} ${OFFLINE_MODELS[0]}`,
    ...Object.entries(roles).map(([role, model]) => `npx errand org models ORG --role ${role} ${model}`),
  ];
  return [`Give it to an organization:\n  ${commands.join('\n  ')}`, ...leaves];
}

type ActSubject = { name: string; organization: Organization | undefined; detail?: string };

const actOn = ({ by }: Operator, act: string, { name, organization, detail }: ActSubject): Act => ({
  by,
  act,
  subject: name,
  ...definedFields({ organization: organization?.id, detail }),
});

const linesOf = (checks: readonly ModelCheck[]): string => {
  const width = Math.max(...checks.map(({ check }) => check.length));
  return checks.map(({ check, state, detail }) => `  ${state.padEnd(5)}  ${check.padEnd(width)}  ${detail}`).join('\n');
};

function probe({ ownProfiles, bedrock }: Operator, tried: { id: string; connection: ModelConnection }) {
  const { id, connection } = tried;
  const model = id.slice(id.indexOf('/') + 1);
  return probeModel({
    ...tried,
    request: outbound(),
    ownProfiles,
    connect: async (request) =>
      (
        await modelFinder(async () => connection, {
          request,
          loadProviders: () => import('../../engines/models/providers.ts'),
          ...definedFields({ bedrock: bedrock?.(request) }),
        })({ connection: connectionIn(id), model }, '')
      )?.model,
  });
}

const reportOf = (
  { name, provider, url, sealedKey, model, since }: StoredConnection,
  owner: string,
): CommandOutput => ({
  name,
  for: owner,
  provider,
  url: url ?? null,
  key: sealedKey === undefined ? null : 'set',
  model,
  since: timeOf(since),
});

async function list(operator: Operator, { options }: CommandLine): Promise<ShownValue> {
  const { table } = operator;
  const organization = await organizationIn(operator, options);
  const ofOrganization = organization ? await storedConnections(table, organization.id) : [];
  const shared = await storedConnections(table, undefined);
  const ofEnvironment = (operator.runningConnections() ?? []).map((name) => ({
    ...Object.fromEntries(EMPTY_COLUMNS),
    name,
    for: 'every organization',
    provider: 'set by the environment',
  }));
  return {
    report: [
      ...ofOrganization.map((stored) => reportOf(stored, organization?.name ?? '')),
      ...shared.map((stored) => reportOf(stored, 'every organization')),
      ...ofEnvironment,
    ],
  };
}

const EMPTY_COLUMNS = ['name', 'for', 'provider', 'url', 'key', 'model', 'since'].map((name) => [name, null]);

async function testModel(operator: Operator, { args: [modelId = ''], options }: CommandLine): Promise<ShownValue> {
  const [name = '', ...modelParts] = modelId.split('/');
  const organization = await organizationIn(operator, options);
  const { connection, model } = await connectionNamed(operator, organization, name);
  const tried = modelParts.join('/') || model;
  if (tried === undefined) throw new UsageFault(`model test needs the model too: model test ${name}/MODEL.`);
  const checks = await probe(operator, { id: `${name}/${tried}`, connection });
  return { report: checks, ...(answers(checks) ? {} : { failed: true as const }) };
}

async function connectionNamed(
  { table, vault, environmentConnections }: Operator,
  organization: Organization | undefined,
  name: string,
): Promise<{ connection: ModelConnection; model?: string }> {
  for (const owner of organization ? [organization.id, undefined] : [undefined]) {
    const stored = await storedConnection(table, owner, name);
    if (stored) return { connection: await openConnection(vault, owner, stored), model: stored.model };
  }
  const connection = await environmentConnections.get(name)?.();
  if (connection) return { connection };
  throw ENVIRONMENT_CONNECTIONS.includes(name) ? unset(name) : unknown(name);
}

/** The product may have been started in another shell. */
const unset = (name: string): Problem =>
  new Problem(
    'notFound',
    `The environment of this shell sets no connection ${name}: run the command with the variables that the product was started with.`,
  );

const unknown = (name: string): Problem =>
  new Problem(
    'notFound',
    `There is no connection ${JSON.stringify(name.slice(0, 80))}: "npx errand model list" shows them, and with --org those of an organization.`,
  );

async function remove(operator: Operator, { args: [name = ''], options }: CommandLine): Promise<ShownValue> {
  const { table } = operator;
  const organization = await organizationIn(operator, options);
  await withAudit(operator, actOn(operator, 'model remove', { name, organization }), async () => {
    if (!(await removeModelConnection(table, organization?.id, name))) throw unknown(name);
  });
  const users = organization ? [organization] : await listOrganizations(table);
  const stillListed = users.filter(({ models }) => models.some((model) => connectionIn(model) === name));
  const note = `Its models are still listed for ${stillListed.map((user) => user.name).join(', ')}: "npx errand org models ORG MODEL..." sets others.`;
  return {
    report: { name, for: organization?.name ?? 'every organization', state: 'removed' },
    ...(stillListed.length > 0 ? { note } : {}),
  };
}

export const model: Noun = {
  add: {
    usage:
      'add NAME --provider P --strong MODEL [--url URL] [--key-stdin] [--org ORG] [--cheap MODEL] [--verify MODEL] [--anyway]',
    about:
      `tries and stores a connection to models, which are then called NAME/MODEL; P is ${MODEL_PROVIDERS.join(', ')}; ` +
      'the key is read from standard input; --org keeps it for one organization and makes it the default there',
    args: [1, 1],
    options: ['url', 'key-stdin', 'org', 'cheap', 'verify', 'anyway'],
    needs: ['provider', 'strong'],
    run: add,
  },
  list: {
    usage: 'list [--org ORG]',
    about: 'lists the connections, without their keys; --org adds those of an organization',
    args: [0, 0],
    options: ['org'],
    run: list,
  },
  test: {
    usage: 'test NAME[/MODEL] [--org ORG]',
    about: 'makes small calls and says what works: key, model, streams, tools, schemas, images, price',
    args: [1, 1],
    options: ['org'],
    run: testModel,
  },
  remove: {
    usage: 'remove NAME [--org ORG]',
    about: 'removes a connection and its key; running products stop using it within half a minute',
    args: [1, 1],
    options: ['org'],
    run: remove,
  },
};
