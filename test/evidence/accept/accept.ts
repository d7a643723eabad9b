/**
 * `npm run accept -- --model anthropic/NAME`: for a person with a key, whether a model is good enough for documents. It says first what
 * that costs, asks a product of its own, and writes a page to read.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { agents, filesAndTasks } from '../../../client/src/index.ts';
import { readArguments } from '../../../scripts/arguments.ts';
import { localConfig } from '../../../shared/core/config.ts';
import { definedFields } from '../../../shared/core/optional-fields.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { estimateLine } from './estimate.ts';
import { type Acceptance, acceptancePage, type Spent, summaryLine } from './page.ts';
import { askFor, type Results, type Target } from './run.ts';
import { type AcceptanceSet, readSet } from './set.ts';
import { deleteStage, deployStage, operatorCommand, organizationOn, type StageOptions, tryStage } from './stage.ts';

const OURS = join(import.meta.dirname, '../../../assets/acceptance');
const MOST_MINUTES = 30;
/** For the start, the page and the end. */
const MINUTES_BESIDE = 2;

const { values } = readArguments({
  command: 'npm run accept',
  options: {
    model: {
      type: 'string',
      value: 'ID',
      help: 'the model, such as anthropic/claude-sonnet-5-5; its key is in the environment',
    },
    folder: { type: 'string', value: 'DIR', help: 'documents of your own, with labels.json or without' },
    stage: { type: 'string', value: 'NAME', help: 'deploys a stage for it, asks there, and deletes it' },
    receiver: { type: 'string', value: 'URL', help: 'with --stage: a public HTTPS URL that answers webhooks with 2xx' },
    mail: {
      type: 'string',
      value: 'ADDRESS',
      help: 'with --stage: a verified identity of SES, which gets a mail and an alarm',
    },
    page: { type: 'string', value: 'FILE', help: 'where the page is written' },
    yes: { type: 'boolean', default: false, help: 'spends what it costs' },
  },
});

const say = (label: string, text: string) => console.log(`  ${styleText('bold', label.padEnd(10))} ${text}`);

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

/** Runs the work on a product that is started for it, whose first organization has this model alone. */
async function onThisMachine(model: string, work: (target: Target) => Promise<Results>): Promise<[Results, Spent]> {
  const folder = temporaryFolder();
  const begun = performance.now();
  try {
    const product = await startLocalProduct(join(folder.path, 'state'), await freePort(), [], { findsModel: true });
    try {
      const { filesAndTasks: a, agents: b, organizations } = product.local;
      const [organization] = organizations;
      if (!organization) throw new Error('The product has no organization.');
      const { id, apiKey, username, password } = organization;
      console.log(operatorCommand(['model', 'test', model], { env: product.env }).trimEnd());
      operatorCommand(['org', 'models', id, model], { env: product.env });
      const developer = filesAndTasks({ baseUrl: a.baseUrl, apiKey });
      const enterprise = agents({ ...b, login: { username, password } });
      const results = await work({ developer, enterprise, endpoint: `${new URL(a.baseUrl).origin}/catch/` });
      const { days } = await developer.usage();
      return [results, spentIn(days, performance.now() - begun)];
    } finally {
      await product.stop();
    }
  } finally {
    folder.remove();
  }
}

type Day = { inputTokens: number; outputTokens: number; costUsd: number | null };

const spentIn = (days: readonly Day[], ms: number): Spent => ({
  inputTokens: days.reduce((sum, day) => sum + day.inputTokens, 0),
  outputTokens: days.reduce((sum, day) => sum + day.outputTokens, 0),
  usd: days.reduce<number | null>((sum, { costUsd }) => (sum === null || costUsd === null ? null : sum + costUsd), 0),
  seconds: ms / 1_000,
});

const MS_A_MINUTE = 60_000;
const deadline = () => AbortSignal.timeout((MOST_MINUTES - MINUTES_BESIDE) * MS_A_MINUTE);
const tell = (line: string) => say('asked', line);

async function acceptHere(model: string, set: AcceptanceSet): Promise<Acceptance> {
  const [results, spent] = await onThisMachine(model, (target) => askFor(set, target, { signal: deadline(), tell }));
  return { model, day: today(), place: 'on one machine', ...results, spent };
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** The stage is deleted whatever happens on it. */
async function acceptOnStage(set: AcceptanceSet, o: StageOptions): Promise<Acceptance> {
  const folder = temporaryFolder();
  try {
    const stage = await deployStage(o, folder.path);
    const begun = performance.now();
    let accepted: Acceptance;
    let left: Acceptance['stage'] = [];
    try {
      const signal = deadline();
      const target = organizationOn(stage, o);
      const results = await askFor(set, target, { signal, tell });
      const tried = await tryStage(target, o, signal);
      const { days } = await target.developer.usage();
      const spent = spentIn(days, performance.now() - begun);
      accepted = { model: o.model, day: today(), place: `on the stage ${o.stage}`, ...results, stage: tried, spent };
    } finally {
      left = await deleteStage(stage, o);
    }
    return { ...accepted, stage: [...(accepted.stage ?? []), ...left] };
  } finally {
    folder.remove();
  }
}

/** The key of a provider, by the name under which its own tools look for it. */
const KEYS: Readonly<Record<string, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
  google: 'GEMINI_API_KEY',
};

function stageOptions(stage: string, model: string): StageOptions {
  const slash = model.indexOf('/');
  const [provider, name] = [model.slice(0, slash), model.slice(slash + 1)];
  const options = { stage, model, tell, ...definedFields({ receiver: values.receiver, mail: values.mail }) };
  if (provider === 'bedrock') return options;
  const variable = KEYS[provider];
  if (variable === undefined) refuse(`--stage takes a model of bedrock, ${Object.keys(KEYS).join(', ')}.`);
  const key = process.env[variable];
  if (!key) refuse(`${variable} is not set: the key of ${provider} is needed.`);
  return { ...options, named: { name: provider, provider, model: name, key } };
}

const { model, folder, yes, stage } = values;
if (!model) refuse('accept needs --model, such as --model anthropic/claude-sonnet-5-5.');
const sets = [readSet(OURS), ...(folder ? [readSet(resolve(folder))] : [])];
const set: AcceptanceSet = { ...sets[0], items: sets.flatMap(({ items }) => items) };
say('model', model);
say('price', estimateLine(set, model));
if (!yes) refuse('Nothing was asked: add --yes to spend that.');
const page = resolve(values.page ?? join(localConfig(process.env).stateFolder, 'accept', 'page.html'));
try {
  const acceptance = stage ? await acceptOnStage(set, stageOptions(stage, model)) : await acceptHere(model, set);
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, acceptancePage(acceptance));
  say('values', summaryLine(acceptance));
  say('page', page);
} catch (error) {
  console.error(`accept: ${(error as Error).message}`);
  process.exitCode = 1;
}
