/** Leaves tasks in flight in the second organization of a product, which stands still when this returns. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from '../functions/over-http/local-product.ts';
import {
  apiOf,
  demoOrganizations,
  endpointAt,
  logIn,
  operatorOf,
  PORTS,
  SEEN_AFTER_MS,
  until,
  upload,
} from './fill-product.ts';
import {
  type InFlight,
  inFlightAmong,
  LEASE,
  MODELS_THAT_STOP,
  stoppingTasks,
  submitAll,
  taskReader,
} from './in-flight.ts';
import { STEPS } from './scripted-model.ts';
import { slowlyUntil } from './slow-motion.ts';

const BURSTS = 8;
/** A request that hangs is given up after 25 seconds. */
const BURST_MS = 24_000;
const REQUESTS_MS = 500;

const workflowOf = (title: string, steps: [name: string, text: string][]) =>
  [`# ${title}`, ...steps.map(([name, text]) => `## ${name}\n\n${text}`), ''].join('\n\n');

const HANGING_SOURCE = (url: string) => `title: A statistic that does not come
connectors:
  - kind: csv
    address: ${url}
    fields:
      title: "{port}"
    limits:
      seconds: 25
`;

async function configure(product: Running, { folder, hangingUrl }: { folder: string; hangingUrl: string }) {
  const [, two] = demoOrganizations(product);
  const operate = operatorOf(product);
  const fileOf = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const harbours = readFileSync(join(import.meta.dirname, 'harbours.yaml'), 'utf8');
  for (const [name, text] of [
    ['harbours', harbours],
    ['hanging', HANGING_SOURCE(hangingUrl)],
  ] as const)
    operate(['source', 'put', name, '--file', fileOf(`${name}.yaml`, text), '--org', two.name]);
  const putWorkflow = (name: string, text: string): string =>
    operate(['workflow', 'put', fileOf(name, text), '--org', two.name]).id;
  const [first = '', second = ''] = STEPS;
  const question = 'What is said about the rent, the tenant or the landlord?';
  const long = Array.from({ length: 20 }, (_, at): [string, string] => [`Step ${at + 1}`, question]);
  // So that everything is submitted at once, and tests may poll.
  operate(['org', 'limits', two.name, 'tasks', '--minute', '500']);
  for (const limit of ['agent-submits', 'agent-status'])
    operate(['org', 'limits', two.name, limit, '--minute', '5000', '--hour', '50000']);
  operate(['org', 'models', two.name, 'openai/hangs', 'openai/steady', 'offline/extractive', ...MODELS_THAT_STOP]);
  await sleep(SEEN_AFTER_MS);
  return {
    workflowId: putWorkflow(
      'two.md',
      workflowOf('Two steps', [
        ['First', first],
        ['Second', second],
      ]),
    ),
    longWorkflowIds: ['Twenty steps', 'Twenty more'].map((title) =>
      putWorkflow(`${title}.md`, workflowOf(title, long)),
    ),
  };
}

type Setting = { folder: string; state: string; hangingUrl: string };

export async function leaveInFlight(product: Running, { folder, state, hangingUrl }: Setting): Promise<InFlight[]> {
  const [, two] = demoOrganizations(product);
  const { agents, filesAndTasks } = product.local;
  const workflows = await configure(product, { folder, hangingUrl });
  const apis = {
    files: apiOf(filesAndTasks.baseUrl, two.apiKey),
    agents: apiOf(`${agents.rootUrl}/api/v1`, await logIn(product, two)),
  };
  const { fileId, completion } = await upload(apis.files, 'berth.txt', LEASE);
  await apis.files(`/files/${fileId}/complete`, completion);
  const own = { ...workflows, fileId, hangingUrl, endpoint: endpointAt(PORTS.accepting) };
  const pid = product.process.pid ?? 0;
  const reader = taskReader(state);
  const stopped = await submitAll(apis, stoppingTasks.ofModels(own));
  await until('the tasks of models that stop', async () => inFlightAmong(stopped, reader.tasks()) !== undefined);
  try {
    for (let burst = 0; burst < BURSTS; burst++) {
      process.kill(pid, 'SIGSTOP');
      const submitting = submitAll(apis, stoppingTasks.ofBurst(own));
      // The product takes up all of them at once.
      await sleep(REQUESTS_MS);
      process.kill(pid, 'SIGCONT');
      const submitted = await submitting;
      const isThere = () => inFlightAmong(submitted, reader.tasks()) !== undefined;
      if (!(await slowlyUntil(pid, isThere, BURST_MS))) continue;
      const tasks = reader.tasks();
      return [stopped, submitted].flatMap((some) => inFlightAmong(some, tasks) ?? []);
    }
    throw new Error('No burst left tasks of all kinds where they are wanted.');
  } finally {
    reader.close();
  }
}
