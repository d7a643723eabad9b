/** A server in its own process that never stops sending, so that its memory does not count as the reader's. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { flood, hostileServer, trusted } from './hostile-server.ts';

type Place = { origin: string; ca: string };

export async function floodServer(): Promise<Place & { stop(): void }> {
  const child: ChildProcess = fork(import.meta.filename, { execArgv: [] });
  const [place] = (await once(child, 'message')) as [Place];
  return { ...place, stop: () => child.kill() };
}

if (import.meta.main) {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const chunk = `40000\r\n${'x'.repeat(0x40000)}\r\n`;
  const { origin } = await hostileServer((socket) => flood(socket, head, chunk));
  process.send?.({ origin, ca: trusted.cert });
  process.on('disconnect', () => process.exit());
}
