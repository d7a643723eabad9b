/**
 * Preloaded into each thread of the product that may open connections: simulates the DNS servers and the Internet, and
 * records every look-up and connection.
 */
import dns from 'node:dns/promises';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData, Worker } from 'node:worker_threads';
import { isPublicText } from '../../engines/outbound/oracle.ts';
import type { Paper } from '../../engines/outbound/paper.ts';
import { type LoopStops, watchLoop } from './loop-watch.ts';

type Dns = NonNullable<Paper['dns']>;
/**
 * `world`: port of the simulated Internet. `dns`: answers by name; `null`: every name is public except the silent ones.
 * `spinning`: how many threads of the product compute nothing from now on.
 */
export type Order = { ask: number; dns?: Dns | null; silent?: string[]; world?: number; spinning?: number };
/** The activity since the last order. */
export type Notes = { ask: number; lookUps: string[]; connected: string[]; rss: number; loop: LoopStops };

const PUBLIC = '93.184.215.14';
const net: typeof import('node:net') = createRequire(import.meta.url)('node:net');

/** The current simulation; threads that start later receive it too. */
type Played = { names: Dns | null; silent: readonly string[]; world: number };
type Touched = Pick<Notes, 'lookUps' | 'connected'>;

const PLAYED = 'played';
let played = (getEnvironmentData(PLAYED) as Played | undefined) ?? { names: null, silent: [], world: 0 };
let touched: Touched = { lookUps: [], connected: [] };

/** The nth look-up of a name returns its nth answer. */
async function answersOf(host: string): Promise<string[]> {
  const { names, silent } = played;
  const nth = touched.lookUps.filter((other) => other === host).length;
  touched.lookUps.push(host);
  const answers = names ? names[host] : [[PUBLIC]];
  if (answers === 'TIMEOUT' || silent.includes(host)) return new Promise(() => undefined);
  if (answers === 'SERVFAIL' || !answers) throw Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
  return answers[nth] ?? answers.at(-1) ?? [];
}

/** Public addresses connect to the simulated Internet, 127.0.0.1 to itself, and all others to a closed port. */
function connect(open: typeof net.createConnection, o: { host?: string; port: number }): Socket {
  const { host = 'localhost', port } = o;
  touched.connected.push(`${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (host === '127.0.0.1') return open(o);
  const socket = open({ ...o, host: '127.0.0.1', port: isPublicText(host) ? played.world : 1 });
  return Object.defineProperty(socket, 'remoteAddress', { value: host });
}

/** Returns all addresses for IPv4 and none for IPv6, because the guard merges the answers of both. */
function play(): void {
  dns.Resolver.prototype.resolve4 = ((host: string) => answersOf(host)) as never;
  dns.Resolver.prototype.resolve6 = (async () => []) as never;
  dns.lookup = (async (host: string) => (await answersOf(host)).map((address) => ({ address, family: 4 }))) as never;
  const open = net.createConnection;
  net.createConnection = ((o: { host?: string; port: number }) => connect(open, o)) as never;
  syncBuiltinESMExports();
}

/** Sets the simulation and returns the activity since the last order. */
function begin(next: Played): Touched {
  const before = touched;
  played = next;
  touched = { lookUps: [], connected: [] };
  return before;
}

const spinners: Worker[] = [];

/** Without the preloaded modules, which would answer orders. */
async function spin(count: number): Promise<void> {
  await Promise.all(spinners.splice(0).map((thread) => thread.terminate()));
  for (let at = 0; at < count; at++) spinners.push(new Worker('for (;;);', { eval: true, execArgv: [] }));
}

/** Answers an order after every thread has applied it. */
function obeyInMain(threads: BroadcastChannel): void {
  let others = 0;
  let heard: (of: Touched) => void = () => undefined;
  threads.onmessage = ({ data }) => {
    if (data === 'here') others++;
    else if ('answer' in data) heard(data.answer as Touched);
  };
  const loopStops = watchLoop();
  process.on('message', async (order: Order) => {
    if (order.spinning !== undefined) await spin(order.spinning);
    const { dns: names = played.names, silent = played.silent, world = played.world } = order;
    const next: Played = { names, silent, world };
    setEnvironmentData(PLAYED, next as never);
    const all = [begin(next)];
    if (others > 0) {
      await new Promise<void>((resolve) => {
        heard = (of) => void (all.push(of) > others && resolve());
        threads.postMessage({ order: next });
      });
    }
    const lookUps = all.flatMap((of) => of.lookUps);
    const connected = all.flatMap((of) => of.connected);
    process.send?.({
      ask: order.ask,
      lookUps,
      connected,
      rss: process.memoryUsage().rss,
      loop: loopStops(),
    } satisfies Notes);
  });
}

function obeyBeside(threads: BroadcastChannel): void {
  // Answers of other threads arrive here too and must be ignored.
  threads.onmessage = ({ data }) => {
    if (data?.order) threads.postMessage({ answer: begin(data.order as Played) });
  };
  threads.postMessage('here');
}

if (process.channel || !isMainThread) {
  play();
  const threads = new BroadcastChannel('recorder');
  if (isMainThread) obeyInMain(threads);
  else obeyBeside(threads);
  process.channel?.unref();
  (threads as unknown as { unref(): void }).unref();
}
