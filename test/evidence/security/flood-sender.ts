/** A process that floods the WebSocket API in one way until it is stopped, and then reports what it sent. */
import { WebSocket } from 'ws';

export type Flood = {
  url: string;
  kind: keyof typeof SENDERS;
  connections: number;
  everyMs: number;
  atOnce: number;
  reconnects: boolean;
};
export type Flooded = { sent: number; opened: number; refused: number; closes: Record<string, number> };

/** The largest frame that the product accepts. */
const LARGE = 'x'.repeat(131_072);
const TOO_LARGE = 'x'.repeat(1_048_576);

const SENDERS = {
  pings: (socket: WebSocket) => socket.send('{"type":"ping"}'),
  'protocol pings': (socket: WebSocket) => socket.ping(),
  'binary frames': (socket: WebSocket) => socket.send(new Uint8Array(100)),
  'frames of 128 KB': (socket: WebSocket) => socket.send(LARGE),
  'frames of 1 MB': (socket: WebSocket) => socket.send(TOO_LARGE),
  'fragments that never end': (socket: WebSocket) => socket.send('', { fin: false }),
};

const MAX_BUFFERED_BYTES = 16_777_216;
const flooded: Flooded = { sent: 0, opened: 0, refused: 0, closes: {} };

function open(flood: Flood): void {
  const socket = new WebSocket(flood.url, { perMessageDeflate: false });
  const send = SENDERS[flood.kind];
  const timer = setInterval(() => {
    for (let at = 0; at < flood.atOnce; at++) {
      if (socket.readyState !== WebSocket.OPEN || socket.bufferedAmount > MAX_BUFFERED_BYTES) return;
      send(socket);
      flooded.sent++;
    }
  }, flood.everyMs);
  socket.on('open', () => flooded.opened++);
  socket.on('unexpected-response', () => flooded.refused++);
  socket.on('error', () => undefined);
  socket.on('close', (code, reason) => {
    clearInterval(timer);
    const why = `${code} ${reason}`.trim();
    flooded.closes[why] = (flooded.closes[why] ?? 0) + 1;
    if (flood.reconnects) setImmediate(open, flood);
  });
}

process.on('message', (message: Flood | 'end') => {
  if (message === 'end') process.send?.(flooded, () => process.exit());
  else for (let at = 0; at < message.connections; at++) open(message);
});
process.on('disconnect', () => process.exit());
