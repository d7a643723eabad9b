/**
 * Loaded before the product, into each of its threads that may reach out: its name servers and the world behind its
 * connections are played, and every touch is written down.
 */
import dns from 'node:dns/promises';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { BroadcastChannel, getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { isPublicText } from '../outbound/oracle.ts';
import type { Paper } from '../outbound/paper.ts';

type Dns = NonNullable<Paper['dns']>;
/** `world`: where the public Internet is played. `dns`: of the names; with null every name is public but the silent ones. */
export type Order = { ask: number; dns?: Dns | null; silent?: string[]; world?: number };
/** What happened since the order before. */
export type Notes = { ask: number; lookUps: string[]; connected: string[]; rss: number };

const PUBLIC = '93.184.215.14';
const net: typeof import('node:net') = createRequire(import.meta.url)('node:net');

/** Of a thread that begins later too. */
type Played = { names: Dns | null; silent: readonly string[]; world: number };
type Touched = Pick<Notes, 'lookUps' | 'connected'>;

const PLAYED = 'played';
let played = (getEnvironmentData(PLAYED) as Played | undefined) ?? { names: null, silent: [], world: 0 };
let touched: Touched = { lookUps: [], connected: [] };

/** The nth look-up of a name gets its nth answer. */
async function answersOf(host: string): Promise<string[]> {
  const { names, silent } = played;
  const nth = touched.lookUps.filter((other) => other === host).length;
  touched.lookUps.push(host);
  const answers = names ? names[host] : [[PUBLIC]];
  if (answers === 'TIMEOUT' || silent.includes(host)) return new Promise(() => undefined);
  if (answers === 'SERVFAIL' || !answers) throw Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
  return answers[nth] ?? answers.at(-1) ?? [];
}

/** What is public leads to the played world, this machine's receivers are real, and nothing else answers. */
function connect(open: typeof net.createConnection, o: { host?: string; port: number }): Socket {
  const { host = 'localhost', port } = o;
  touched.connected.push(`${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (host === '127.0.0.1') return open(o);
  const socket = open({ ...o, host: '127.0.0.1', port: isPublicText(host) ? played.world : 1 });
  return Object.defineProperty(socket, 'remoteAddress', { value: host });
}

/** All families in one: the guard takes the answers of both together. */
function play(): void {
  dns.Resolver.prototype.resolve4 = ((host: string) => answersOf(host)) as never;
  dns.Resolver.prototype.resolve6 = (async () => []) as never;
  dns.lookup = (async (host: string) => (await answersOf(host)).map((address) => ({ address, family: 4 }))) as never;
  const open = net.createConnection;
  net.createConnection = ((o: { host?: string; port: number }) => connect(open, o)) as never;
  syncBuiltinESMExports();
}

/** Answers what was touched since the last one. */
function begin(next: Played): Touched {
  const before = touched;
  played = next;
  touched = { lookUps: [], connected: [] };
  return before;
}

/** An order holds in every thread before it is answered. */
function obeyInMain(threads: BroadcastChannel): void {
  let others = 0;
  let heard: (of: Touched) => void = () => undefined;
  threads.onmessage = ({ data }) => {
    if (data === 'here') others++;
    else if ('answer' in data) heard(data.answer as Touched);
  };
  process.on('message', async (order: Order) => {
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
    process.send?.({ ask: order.ask, lookUps, connected, rss: process.memoryUsage().rss } satisfies Notes);
  });
}

function obeyBeside(threads: BroadcastChannel): void {
  // What another thread says is heard here, too, and is no order.
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
