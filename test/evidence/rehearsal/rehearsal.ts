/** Runs the deployed product without AWS: the stack's resources on emulators, its bundles behind its APIs. */
import type { Emulators } from '../../support/emulators/start.ts';
import { openFront } from './gateway/front.ts';
import type { Gateway } from './gateway/gateway.ts';
import { type Internet, startInternet } from './internet/internet.ts';
import { environmentOf } from './lambda/environment.ts';
import { type Fleet, fleet } from './lambda/fleet.ts';
import type { InstancePlan } from './lambda/instance.ts';
import { startSchedule } from './lambda/schedule.ts';
import { startPollers } from './queue/pollers.ts';
import type { Reach } from './recorder/exchange-connection.ts';
import { type Recorder, startRecorder } from './recorder/recorder.ts';
import { BY_HAND, type Invocation, type Recording, type Request } from './recorder/recording.ts';
import { openSocketApi, type SocketApi } from './sockets/socket-api.ts';
import { httpApis, socketApis } from './stack/callers.ts';
import { create } from './stack/create.ts';
import type { FunctionPlan } from './stack/functions.ts';
import { type Plan, planOf } from './stack/plan.ts';
import { resolve } from './stack/resolve.ts';
import type { Synthesized } from './stack/synthesize.ts';
import { type Created, createdResource, idsOf, type Look, type Template } from './stack/template.ts';

const GONE = 410;

export type Rehearsal = {
  outputs: Record<string, string>;
  /** Grows while the rehearsal runs. */
  recording: Recording;
  internet: Internet;
  /** Delays calls before they are forwarded, to simulate the work between them. */
  hold: Recorder['hold'];
  /** Keyed by function name: for tests that run an instance themselves, with the function's own role. */
  instances: Record<string, Omit<InstancePlan, 'log'>>;
  /** Kills every process of a function, even in the middle of an event. */
  kill(name: string): Promise<void>;
  stop(): Promise<void>;
};

/** `logs` is the folder of the functions' log files. */
type Options = { synthesized: Synthesized; emulators: Emulators; logs: string };

export async function startRehearsal({ synthesized, emulators, logs }: Options): Promise<Rehearsal> {
  const { template } = synthesized;
  const functions = new Map<string, Fleet>();
  const requests: Request[] = [];
  const invocations: Invocation[] = [];
  const internet = await startInternet();
  const answered = (request: Request) => void requests.push(request);
  const sockets = await Promise.all(socketApis(template).map((id) => openSocketApi({ id, functions, answered })));
  const recorder = await startRecorder({ ...emulators, reach: reachOf(sockets) });
  const apis = await Promise.all(httpApis(template).map((id) => openApi(id, functions, requests)));
  const gateways = new Map(apis.map(({ id, url }) => [id, createdResource(id, { ApiEndpoint: url, ApiId: id })]));
  const known = new Map([...gateways, ...edgesOf(template, apis)]);
  const look = await create(template, { emulators, awsUrl: recorder.url }, known);

  const plan = await planOf(synthesized, look);
  for (const [id, each] of plan.functions) functions.set(id, fleet(each, { recorder, logs, internet, invocations }));
  for (const { id, gateway } of apis) gateway.routes = plan.routes.get(id) ?? [];
  for (const api of sockets) api.routes = plan.routes.get(api.id) ?? [];
  const others = startOthers(plan, { functions, recorder, requests });

  const plans = [...plan.functions.values()];
  const judged = plans.map(({ name, memoryMegabytes, statements }) => ({ name, memoryMegabytes, statements }));
  return {
    outputs: { ...(await outputsOf(synthesized, look)), ...aroundTheEdge(apis, sockets) },
    recording: { functions: judged, requests, invocations, scenes: [], calls: recorder.calls },
    internet,
    hold: recorder.hold,
    instances: Object.fromEntries(plans.map((each) => [each.name, byHand(each, { recorder, internet })])),
    async kill(name) {
      const struck = [...functions.values()].filter((each) => each.name === name);
      if (struck.length === 0) throw new Error(`There is no function ${name}.`);
      await Promise.all(struck.map(({ stop }) => stop()));
    },
    async stop() {
      for (const { stop } of [...apis, ...sockets]) stop();
      await Promise.all(others.map(({ stop }) => stop()));
      await Promise.all([...functions.values()].map(({ stop }) => stop()));
      recorder.stop();
      internet.stop();
    },
  };
}

const reachOf =
  (sockets: SocketApi[]): Reach =>
  (api, { method, connection, message }) =>
    sockets.find(({ id }) => id === api)?.reach(method, connection, message) ?? GONE;

/** Links in e-mails point to the API too, because there is no CloudFront here. */
const edgesOf = (template: Template, apis: { id: string; url: string }[]): [string, Created][] => {
  const { url = 'http://nowhere' } = apis.find(({ id }) => id.startsWith('AgentsApi')) ?? {};
  const DomainName = new URL(url).host;
  return idsOf(template, 'AWS::CloudFront::Distribution').map((id) => [id, createdResource(id, { DomainName })]);
};

/** There is no CloudFront here: clients call the APIs directly. */
const aroundTheEdge = (apis: { id: string; url: string }[], [socket]: SocketApi[]) => ({
  AgentsRootUrl: apis.find(({ id }) => id.startsWith('AgentsApi'))?.url ?? '',
  AgentsWsUrl: socket?.wsUrl ?? '',
});

function byHand(
  plan: FunctionPlan,
  { recorder, internet }: { recorder: Recorder; internet: Internet },
): Omit<InstancePlan, 'log'> {
  const { name, statements, timeoutSeconds, memoryMegabytes } = plan;
  const token = `rehearsal.${name}.hand`;
  recorder.callers.set(token, { function: name, statements, now: () => ({ route: BY_HAND }) });
  const environment = { ...environmentOf(plan, { token, awsUrl: recorder.url }), ...internet.environment };
  return { timeoutSeconds, memoryMegabytes, environment };
}

/** Opens the server before its function exists, because the functions' environment contains its URL. */
async function openApi(id: string, functions: Map<string, Fleet>, requests: Request[]) {
  const gateway: Gateway = { api: id, routes: [], functions, answered: (request) => requests.push(request) };
  return { id, gateway, ...(await openFront(gateway)) };
}

type Running = { functions: Map<string, Fleet>; recorder: Recorder; requests: Request[] };

/** Starts the pollers and schedules, which call functions as well as the APIs do. */
function startOthers({ queues, schedules, functions: plans }: Plan, { functions, recorder, requests }: Running) {
  const answered = (request: Request) => requests.push(request);
  const pollers = queues.flatMap((queue) => {
    const [plan, consumer] = [plans.get(queue.functionId), functions.get(queue.functionId)];
    return plan && consumer ? startPollers(queue, { plan, fleet: consumer, recorder, answered }) : [];
  });
  const ticking = schedules.flatMap((schedule) => {
    const called = functions.get(schedule.functionId);
    return called ? [startSchedule(schedule, { fleet: called, answered })] : [];
  });
  return [...pollers, ...ticking];
}

async function outputsOf({ template: { Outputs = {} } }: Synthesized, look: Look): Promise<Record<string, string>> {
  const resolved = Object.entries(Outputs).map(async ([name, { Value }]) => [name, await resolve(Value, look)]);
  return Object.fromEntries(await Promise.all(resolved));
}
