/** A mixed load on the local product for a given time: memory, latency, and that nothing is lost. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { agents, filesAndTasks } from '../../../client/src/index.ts';
import type { ProvisionedOrganization } from '../../../shared/accounts/provision-organization.ts';
import { startWorkloadModel, WORKLOAD_MODELS } from '../../engines/models/workload-model.ts';
import { freePort } from '../../functions/over-http/free-port.ts';
import { type Running, startLocalProduct } from '../../functions/over-http/local-product.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { bareServer } from '../bench/servers.ts';
import type { Point } from './flatness.ts';
import { type Ledger, ledger as openLedger } from './ledger.ts';
import { type Meter, meter as openMeter, residentMegabytes } from './meter.ts';
import { makeOrganizations } from './organizations.ts';
import { every, paces } from './paces.ts';
import { endOf, type Person } from './people.ts';
import { startReceivers } from './receivers.ts';
import { startSource } from './source.ts';

const ORGANIZATIONS = 4;
const BARE_MS = 200;
const SAY_MS = 60_000;
/** Longer than the delay before a webhook's second attempt. */
const MAX_DRAIN_MS = 180_000;
const AT_ONCE = 32;

export type Soaked = {
  seconds: number;
  /** Resident megabytes of the product. */
  memory: Point[];
  meter: Meter;
  ledger: Ledger;
  /** Actions that were skipped because too many of their kind were running. */
  left: number;
  /** Webhooks that their receiver refused at first. */
  refused: number;
};
type Asked = { seconds: number; sampleMs: number; tell: (line: string) => void };

export async function soak(asked: Asked): Promise<Soaked> {
  const folder = temporaryFolder();
  const state = join(folder.path, 'state');
  const source = await startSource(folder.path);
  const founded = await makeOrganizations(state, ORGANIZATIONS, WORKLOAD_MODELS);
  const words = ['--allow-source', source.origin, '--source-ca', source.pem];
  const model = await startWorkloadModel();
  const product = await startLocalProduct(state, await freePort(), words, { env: model.environment });
  const bare = await bareServer();
  const meter = openMeter();
  const ledger = openLedger(meter.since);
  const receivers = await startReceivers(
    founded.map(({ webhookSecret }) => webhookSecret),
    ledger,
  );
  const ending = new AbortController();
  const around = { ledger, endpointOf: receivers.endpointOf, source: source.origin, signal: ending.signal };
  const people = founded.map((one, at) => personOf(product, one, { ...around, organization: at, meter }));
  try {
    const stopBare = every(
      BARE_MS,
      () => void meter.timed(`http://127.0.0.1:${bare.port}/bare`).catch(() => undefined),
    );
    const pace = paces(people, ledger);
    const memory = await sampled(asked, { product, meter, ledger });
    pace.stop();
    stopBare();
    meter.end();
    await pace.idle();
    ending.abort();
    await settled(people, ledger);
    return { seconds: asked.seconds, memory, meter, ledger, left: pace.left(), refused: receivers.refused() };
  } finally {
    product.process.kill('SIGKILL');
    bare.stop();
    model.stop();
    receivers.stop();
    source.stop();
    folder.remove();
  }
}

type Given = Omit<Person, 'files' | 'agents' | 'endpointOf'> & {
  meter: Meter;
  endpointOf: Awaited<ReturnType<typeof startReceivers>>['endpointOf'];
};

function personOf(
  { local }: Running,
  { apiKey, username, password }: ProvisionedOrganization,
  { meter, ...given }: Given,
): Person {
  const how = { fetch: meter.timed };
  return {
    ...given,
    endpointOf: (receiving) => given.endpointOf(receiving, given.organization),
    files: filesAndTasks({ ...local.filesAndTasks, apiKey, ...how }),
    agents: agents({ ...local.agents, login: { username, password }, ...how }),
  };
}

type Watched = { product: Running; meter: Meter; ledger: Ledger };

async function sampled({ seconds, sampleMs, tell }: Asked, { product, meter, ledger }: Watched): Promise<Point[]> {
  const memory: Point[] = [];
  for (let saidAt = 0; meter.since() < seconds * 1_000; ) {
    await sleep(sampleMs);
    const value = residentMegabytes(product.process.pid ?? 0);
    memory.push({ at: meter.since(), value });
    if (meter.since() < saidAt + SAY_MS) continue;
    saidAt = meter.since();
    tell(`${Math.round(saidAt / 1_000)} s: ${meter.count()} calls, ${ledger.tasks.size} tasks, ${value.toFixed(0)} MB`);
  }
  return memory;
}

/** Waits for the last webhooks, then looks at every task once more. */
async function settled(people: readonly Person[], ledger: Ledger): Promise<void> {
  const until = Date.now() + MAX_DRAIN_MS;
  while (ledger.missing().length > 0 && Date.now() < until) await sleep(100);
  for (const { taskId } of ledger.missing()) ledger.broken.push(`${taskId} was never told`);
  const left = [...ledger.tasks.values()];
  const look = async (): Promise<void> => {
    for (let kept = left.pop(); kept; kept = left.pop()) {
      const status = await endOf(people[kept.organization] as Person, kept);
      const heard = ledger.heardOf(kept.taskId);
      if (heard && heard.status !== status) ledger.broken.push(`${kept.taskId} is ${status}, told was ${heard.status}`);
      if (heard && heard.events.size !== 1) ledger.broken.push(`${kept.taskId} has ${heard.events.size} events`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, look));
}
