/**
 * `npm run accept -- --model anthropic/NAME`: for a person with a key, whether a model is good enough for documents. It says first what
 * that costs, asks a product of its own, and writes a page to read.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { styleText } from 'node:util';
import { agents, filesAndTasks } from '../../client/src/index.ts';
import { readArguments } from '../../scripts/arguments.ts';
import { localConfig } from '../../shared/core/config.ts';
import { freePort } from '../api/free-port.ts';
import { startLocalProduct } from '../api/local-product.ts';
import { temporaryFolder } from '../contracts/temporary-folder.ts';
import { estimateLine } from './estimate.ts';
import { type Acceptance, acceptancePage, type Spent, summaryLine } from './page.ts';
import { askFor, type Results, type Target } from './run.ts';
import { type AcceptanceSet, readSet } from './set.ts';

const OURS = join(import.meta.dirname, '../../assets/acceptance');
const MOST_MINUTES = 30;
/** For the start, the page and the end. */
const MINUTES_BESIDE = 2;

const { values } = readArguments({
  command: 'npm run accept',
  options: {
    model: {
      type: 'string',
      value: 'ID',
      help: 'the model, such as anthropic/claude-sonnet-4-5; its key is in the environment',
    },
    folder: { type: 'string', value: 'DIR', help: 'documents of your own, with labels.json or without' },
    page: { type: 'string', value: 'FILE', help: 'where the page is written' },
    yes: { type: 'boolean', default: false, help: 'spends what it costs' },
  },
});

const say = (label: string, text: string) => console.log(`  ${styleText('bold', label.padEnd(10))} ${text}`);

function refuse(message: string): never {
  console.error(message);
  process.exit(2);
}

function operator(env: NodeJS.ProcessEnv, ...words: string[]): void {
  try {
    execFileSync(process.execPath, ['bin/errand.ts', ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new Error(String((error as { stderr?: Buffer }).stderr ?? error).trim());
  }
}

/** Runs the work on a product that is started for it, whose first organization has this model alone. */
async function onThisMachine(model: string, work: (target: Target) => Promise<Results>): Promise<[Results, Spent]> {
  const folder = temporaryFolder();
  const begun = performance.now();
  try {
    const product = await startLocalProduct(join(folder.path, 'state'), await freePort());
    try {
      const { filesAndTasks: a, agents: b, organizations } = product.local;
      const [organization] = organizations;
      if (!organization) throw new Error('The product has no organization.');
      const { id, apiKey, username, password } = organization;
      operator(product.env, 'org', 'models', id, model);
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

async function accept(model: string, set: AcceptanceSet): Promise<Acceptance> {
  const signal = AbortSignal.timeout((MOST_MINUTES - MINUTES_BESIDE) * 60_000);
  const tell = (line: string) => say('asked', line);
  const [results, spent] = await onThisMachine(model, (target) => askFor(set, target, { signal, tell }));
  return { model, day: new Date().toISOString().slice(0, 10), place: 'on one machine', ...results, spent };
}

const { model, folder, yes } = values;
if (!model) refuse('accept needs --model, such as --model anthropic/claude-sonnet-4-5.');
const sets = [readSet(OURS), ...(folder ? [readSet(resolve(folder))] : [])];
const set: AcceptanceSet = { ...sets[0], items: sets.flatMap(({ items }) => items) };
say('model', model);
say('price', estimateLine(set, model));
if (!yes) refuse('Nothing was asked: add --yes to spend that.');
const page = resolve(values.page ?? join(localConfig(process.env).stateFolder, 'accept', 'page.html'));
try {
  const acceptance = await accept(model, set);
  mkdirSync(dirname(page), { recursive: true });
  writeFileSync(page, acceptancePage(acceptance));
  say('values', summaryLine(acceptance));
  say('page', page);
} catch (error) {
  console.error(`accept: ${(error as Error).message}`);
  process.exitCode = 1;
}
