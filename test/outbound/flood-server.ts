/** A server in a process of its own that never stops sending, so that the memory of whoever reads can be told from its own. */
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
