/** Task updates, each a durable write, to a hundred subscribers, against a plain `ws` server that broadcasts the same messages. */
import { type Bench, inTurns } from './side-by-side.ts';
import { type Audience, audienceOf } from './sockets/audience.ts';
import { SUBSCRIBERS } from './sockets/subscribers.ts';

const UPDATES = 1_000;
const PACED = 200;
const ROUNDS = 5;

export const bench: Bench = {
  title: 'WebSocket channel',
  about:
    `Each server in a separate process, ${SUBSCRIBERS} subscribers in another. Errand writes and syncs a task for each update, ` +
    'and reads its context; the reference generates the same text and broadcasts it.',
  async run() {
    const pair = { ours: await audienceOf('errand'), reference: await audienceOf('broadcast') };
    const rates = await inTurns((side: Audience) => side.rate(UPDATES), pair, ROUNDS);
    const times = await inTurns(async (side: Audience) => (await side.p99(PACED)) * 1_000, pair, ROUNDS);
    pair.ours.stop();
    pair.reference.stop();
    return [
      { what: `updates to ${SUBSCRIBERS} subscribers`, unit: 'updates/s', ...rates, wanted: { atLeast: 0.5 } },
      { what: 'from the write to the client, p99', unit: 'µs', ...times, wanted: { atMost: 5 } },
    ];
  },
};
