/** Loaded before the product: its name servers and the world behind its connections are played, and every touch is written down. */
import dns from 'node:dns/promises';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import type { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { isPublicText } from '../outbound/oracle.ts';
import type { Paper } from '../outbound/paper.ts';

type Dns = NonNullable<Paper['dns']>;
/** `world`: where the public Internet is played. `dns`: of the names; with null every name is public but the silent ones. */
export type Order = { ask: number; dns?: Dns | null; silent?: string[]; world?: number };
/** What happened since the order before. */
export type Notes = { ask: number; lookUps: string[]; connected: string[]; rss: number };

const PUBLIC = '93.184.215.14';
const net: typeof import('node:net') = createRequire(import.meta.url)('node:net');

let names: Dns | null = null;
let silent: readonly string[] = [];
let world = 0;
let lookUps: string[] = [];
let connected: string[] = [];

/** The nth look-up of a name gets its nth answer. */
async function answersOf(host: string): Promise<string[]> {
  const nth = lookUps.filter((other) => other === host).length;
  lookUps.push(host);
  const answers = names ? names[host] : [[PUBLIC]];
  if (answers === 'TIMEOUT' || silent.includes(host)) return new Promise(() => undefined);
  if (answers === 'SERVFAIL' || !answers) throw Object.assign(new Error('queryA ESERVFAIL'), { code: 'ESERVFAIL' });
  return answers[nth] ?? answers.at(-1) ?? [];
}

/** What is public leads to the played world, this machine's receivers are real, and nothing else answers. */
function connect(open: typeof net.createConnection, o: { host?: string; port: number }): Socket {
  const { host = 'localhost', port } = o;
  connected.push(`${host.includes(':') ? `[${host}]` : host}:${port}`);
  if (host === '127.0.0.1') return open(o);
  const socket = open({ ...o, host: '127.0.0.1', port: isPublicText(host) ? world : 1 });
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

function obey(order: Order): void {
  process.send?.({ ask: order.ask, lookUps, connected, rss: process.memoryUsage().rss } satisfies Notes);
  lookUps = [];
  connected = [];
  if (order.dns !== undefined) names = order.dns;
  silent = order.silent ?? silent;
  world = order.world ?? world;
}

if (isMainThread && process.channel) {
  play();
  process.on('message', obey);
  process.channel.unref();
}
