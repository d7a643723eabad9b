/** Tasks with every kind of end, on a model server with its own ledger: `GET /usage` must match the ledger. */
import { NO_TOKENS, sumTokens, type Tokens } from '../../../shared/usage/tokens.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import type { Attacked, FaceName, Reply, Sent } from './attack-target.ts';
import { BEHAVIOURS, type Behaviour, markOf, modelLedger } from './model-ledger.ts';
import { bearer } from './operations.ts';
import { type Given, inBatches, type Outcome, type Part, until } from './part.ts';
import type { Tenant } from './tenants.ts';

const TASKS = 500;
const AT_ONCE = 20;
const MODEL = 'openai/scripted';
const HOOK = 'https://hooks.customer-a.com/x';
/** Enough for three attempts of four calls with backoff, a timeout of one minute, and a heartbeat. */
const PATIENCE_MS = 300_000;
/** Allowed difference of an estimate from the bytes that were sent. */
const ESTIMATE_TOLERANCE = 0.25;

/** How a task with a hanging call is ended. */
const ENDINGS = ['forced', 'cooperative', 'timeout'] as const;
type Ending = (typeof ENDINGS)[number];

type TaskToRun = { nth: number; face: FaceName; behaviour: Behaviour; ending: Ending | undefined; mark: string };
type Ledger = Awaited<ReturnType<typeof modelLedger>>;
type Stage = { on: Attacked; tenant: Tenant; ledger: Ledger };

/** Two thirds are chats, the rest research. Only some of the tasks with a hanging call wait for the timeout of a minute. */
function taskToRun(nth: number): TaskToRun {
  const behaviour = BEHAVIOURS[nth % BEHAVIOURS.length] ?? 'answers';
  const round = Math.floor(nth / BEHAVIOURS.length);
  const face: FaceName = round % 3 === 2 ? 'agents' : 'files';
  // The Files & Tasks API has only forced cancels.
  const ending = face === 'files' ? 'forced' : ENDINGS[Math.floor(round / 3) % ENDINGS.length];
  return { nth, face, behaviour, ending: behaviour === 'hanging' ? ending : undefined, mark: markOf(behaviour, nth) };
}

function bodyOf({ face, mark, ending }: TaskToRun): object {
  if (face === 'agents') {
    const input = { query: `When are the port fees due? ${mark}`, depth: 'overview' };
    return { task_type: 'research_agent', input, ...(ending === 'timeout' ? { timeout_minutes: 1 } : {}) };
  }
  const delivery = { type: 'webhook', config: { endpoint: HOOK } };
  return { delivery, input: { type: 'chat', prompt: `When is it due? ${mark}`, model: MODEL }, namespace: 'usage' };
}

async function ask({ on, tenant }: Stage, face: FaceName, sent: Sent): Promise<Reply> {
  const token = face === 'files' ? tenant.apiKey : tenant.tokens.admin;
  const reply = await on.send(face, { ...sent, headers: bearer(token) });
  if (reply.status >= 300) throw new Error(`${sent.method ?? ''} ${sent.path}: ${reply.status} ${reply.text}`);
  return reply;
}

const FINAL = new Set<unknown>(['success', 'failure', 'completed', 'failed', 'cancelled']);

/** Runs a task to its expected end and returns its id. */
async function ended(stage: Stage, task: TaskToRun): Promise<string> {
  const { face, ending, mark } = task;
  const { body } = await ask(stage, face, { path: '/api/v1/tasks', json: bodyOf(task) });
  const id = String(body.taskId ?? body.task_id);
  const path = `/api/v1/tasks/${id}`;
  if (ending) await until(async () => stage.ledger.hangs(mark), PATIENCE_MS);
  if (ending === 'forced' || ending === 'cooperative') {
    const json = face === 'files' ? {} : { force: ending === 'forced' };
    await ask(stage, face, { path: `${path}/cancel`, method: 'POST', json });
  }
  await until(async () => FINAL.has((await ask(stage, face, { path })).body.status), PATIENCE_MS);
  return id;
}

type Days = { days: Record<string, number>[] };

/** The sum of all days, because midnight may have passed, with the API's own field names. */
async function usageShown(stage: Stage, face: FaceName): Promise<Tokens> {
  const { days } = (await ask(stage, face, { path: '/api/v1/usage' })).body as Days;
  return sumTokens(...days.map(tokensIn));
}

/** Reads camel case and snake case. */
const tokensIn = (shown: Record<string, unknown>): Partial<Tokens> =>
  Object.fromEntries(
    Object.keys(NO_TOKENS).map((name) => {
      const underscored = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [name, Number(shown[name] ?? shown[underscored] ?? 0)];
    }),
  );

/** The tokens without estimates. */
const reportedIn = (tokens: Tokens): Tokens => ({
  ...tokens,
  inputTokens: tokens.inputTokens - tokens.estimatedInputTokens,
  outputTokens: tokens.outputTokens - tokens.estimatedOutputTokens,
  estimatedInputTokens: 0,
  estimatedOutputTokens: 0,
});

const same = (one: object, other: object): boolean => JSON.stringify(one) === JSON.stringify(other);

function compareUsage(what: string, tried: number, pairs: [string, object | number, object | number][]): Outcome {
  const differing = pairs.filter(([, found, expected]) => !same([found], [expected]));
  return {
    what,
    tried,
    broken: differing.map(
      ([name, found, expected]) => `${name}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`,
    ),
  };
}

async function run({ on, seed, size }: Given): Promise<Outcome[]> {
  const ledger = await modelLedger(seededRandom(seed));
  try {
    await on.killed({ ERRAND_OPENAI_ADDRESS: ledger.address, ERRAND_OPENAI_KEY: 'k' });
    const [tenant, idle] = [await on.tenants.found({ models: [MODEL] }), await on.tenants.found({ models: [MODEL] })];
    return await ranAll({ on, tenant, ledger }, idle, TASKS * size);
  } finally {
    ledger.close();
  }
}

async function ranAll(stage: Stage, idle: Tenant, count: number): Promise<Outcome[]> {
  const { ledger } = stage;
  const tasks = Array.from({ length: count }, (_, nth) => taskToRun(nth));
  const failures: string[] = [];
  const ids: { face: FaceName; id: string }[] = [];
  const starting = tasks.map((task) => async () => {
    try {
      ids.push({ face: task.face, id: await ended(stage, task) });
    } catch (error) {
      failures.push(`${task.face} ${task.mark}: ${(error as Error).message}`);
    }
  });
  // Slow tasks start first, and the others do not wait for them.
  const slow = new Set<Behaviour>(['hanging', 'dead', 'recovering']);
  const [long, short] = [true, false].map((isSlow) =>
    starting.filter((_, at) => slow.has(tasks[at]?.behaviour ?? 'answers') === isSlow),
  );
  const underWay = (long ?? []).map((start) => start());
  await inBatches(short ?? [], AT_ONCE, (start) => start());
  await Promise.all(underWay);

  // A worker notices a cancel or a timeout at its next heartbeat.
  const settled = async () => {
    const shown = await usageShown(stage, 'files');
    return ledger.open() === 0 && same(reportedIn(shown), ledger.reported()) && shown;
  };
  const shown = await until(settled, 60_000).catch(() => usageShown(stage, 'files'));
  const others = await usageShown({ ...stage, tenant: idle }, 'files');
  const ofTasks: Tokens[] = [];
  await inBatches(ids, AT_ONCE, async ({ face, id }) => {
    const { body } = await ask(stage, face, { path: `/api/v1/tasks/${id}` });
    ofTasks.push(sumTokens(tokensIn((body.usage ?? {}) as Record<string, unknown>)));
  });
  const perTask = sumTokens(...ofTasks);
  const agents = await usageShown(stage, 'agents');
  await stage.on.killed();
  const afterKill = await usageShown(stage, 'files');
  const { calls, inputTokens: sent } = ledger.unreported();
  const isNear = Math.abs(shown.estimatedInputTokens / sent - 1) <= ESTIMATE_TOLERANCE;

  return [
    { what: 'tasks that fail, hang, are cancelled, time out and are retried', tried: count, broken: failures },
    compareUsage(`tokens that the model's server charged in ${ledger.calls()} calls`, ledger.calls(), [
      ['GET /usage of files and tasks', reportedIn(shown), ledger.reported()],
      ['GET /usage of agents', agents, shown],
      ['another organization', others, NO_TOKENS],
    ]),
    compareUsage(`calls that were cut or not reported, as estimates within ${ESTIMATE_TOLERANCE * 100} %`, calls, [
      [`estimated ${shown.estimatedInputTokens}, sent about ${Math.round(sent)}`, Number(isNear), 1],
    ]),
    compareUsage('tasks whose own usage adds up to the same', ids.length, [
      ['input', perTask.inputTokens, shown.inputTokens],
      ['output', perTask.outputTokens, shown.outputTokens],
      ['cached', perTask.cachedInputTokens, shown.cachedInputTokens],
      ['reasoning', perTask.reasoningTokens, shown.reasoningTokens],
    ]),
    compareUsage('figures after the product was killed', 1, [['GET /usage', afterKill, shown]]),
  ];
}

export const usage: Part = {
  name: 'usage',
  promise: "GET /usage equals a scripted provider's own count, whatever becomes of a task",
  isLong: true,
  run,
};
