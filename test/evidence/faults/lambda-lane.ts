/** A lane served by Lambda: instances that take one batch each, from a queue that delivers strictly in the order of arrival. */
import type { Life, Lives } from './life.ts';
import type { VirtualTime } from './virtual-time.ts';

/** An execution environment. It runs one batch at a time, and returns the positions of the messages that failed. */
export type Instance = { life: Life; runBatch(bodies: readonly string[]): Promise<ReadonlySet<number>> };

type Message = { body: string; receives: number };
type Options = {
  time: VirtualTime;
  lives: Pick<Lives, 'between'>;
  instances: number;
  batchSize: number;
  visibleMs: number;
  start: () => Instance;
};

const MAX_RECEIVES = 5;
const COLD_START_MS = [300, 900] as const;
/** Time from the queue to the function, and until the next batch. */
const POLL_MS = [5, 20] as const;

export function lambdaLane({ time, lives, instances, batchSize, visibleMs, start }: Options) {
  const waiting: Message[] = [];
  const idle: Instance[] = [];
  let busy = 0;

  function send(body: string, delayMs: number): void {
    const arrive = () => add({ body, receives: 0 });
    if (delayMs > 0) time.at(time.now() + delayMs, arrive);
    else arrive();
  }

  function add(message: Message): void {
    waiting.push(message);
    serve();
  }

  function serve(): void {
    while (busy < instances && waiting.length > 0) {
      busy++;
      void invoke(waiting.splice(0, batchSize));
    }
  }

  async function invoke(batch: readonly Message[]): Promise<void> {
    const warm = idle.pop();
    await time.sleep(warm ? lives.between(POLL_MS) : lives.between(COLD_START_MS));
    const instance = warm ?? start();
    const failed = await outcomeOf(instance, batch);
    await time.sleep(lives.between(POLL_MS));
    for (const message of batch.filter((_, at) => failed.has(at))) again(message);
    if (!instance.life.isDead()) idle.push(instance);
    busy--;
    serve();
  }

  /** All messages of an instance that crashes are redelivered. */
  function outcomeOf({ life, runBatch }: Instance, batch: readonly Message[]): Promise<ReadonlySet<number>> {
    const all = new Set(batch.keys());
    const died = new Promise<ReadonlySet<number>>((resolve) => life.onEnd(() => resolve(all)));
    return Promise.race([died, runBatch(batch.map(({ body }) => body)).catch(() => all)]);
  }

  function again({ body, receives }: Message): void {
    if (receives + 1 < MAX_RECEIVES) time.at(time.now() + visibleMs, () => add({ body, receives: receives + 1 }));
  }

  return { send };
}
