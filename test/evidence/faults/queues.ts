/** Queues that lose, repeat, delay and reorder messages, and redeliver unacknowledged and even acknowledged ones. */
import type { OutgoingMessage, Queue } from '../../../shared/ports.ts';
import type { Life, Lives } from './life.ts';
import { taskOfHint } from './points.ts';
import { type Rates, TIMES } from './setting.ts';
import type { VirtualTime } from './virtual-time.ts';

type Consumer = 'worker' | 'sender';
/** Resolves to whether the message was acknowledged; stays pending when the consumer has crashed. */
type Consume = (by: Consumer, body: string) => Promise<boolean>;
type Given = { time: VirtualTime; lives: Pick<Lives, 'chance' | 'between'>; rates: Rates; consume: Consume };

const USUALLY = [1, 1_000] as const;

export function queues({ time, lives, rates, consume }: Given) {
  /** Increases at each power cut; messages of an earlier era are lost, because they were in memory only. */
  let era = 0;

  type Message = { by: Consumer; body: string; receives: number; of: number };

  function bring({ by, body, receives, of }: Message): void {
    if (of !== era) return;
    let isDone = false;
    consume(by, body).then((done) => {
      isDone = done;
      if (done && lives.chance(rates.again)) later(by, body, lives.between([0, 6 * TIMES.maxLateMs]));
    });
    if (receives < TIMES.maxReceives)
      time.at(time.now() + TIMES.visibleMs[by], () => isDone || bring({ by, body, receives: receives + 1, of }));
  }

  function later(by: Consumer, body: string, ms: number): void {
    const of = era;
    time.at(time.now() + ms, () => bring({ by, body, receives: 1, of }));
  }

  function take(by: Consumer, { body, delaySeconds = 0 }: OutgoingMessage): void {
    if (lives.chance(rates.lost)) return;
    const lateMs = () => lives.between(lives.chance(rates.late) ? [0, TIMES.maxLateMs] : USUALLY);
    later(by, body, delaySeconds * 1_000 + lateMs());
    if (lives.chance(rates.twice)) later(by, body, delaySeconds * 1_000 + lateMs());
  }

  /** The queue as one process sees it; only the harness receives. */
  const of = (life: Life, by: Consumer): Queue => ({
    async send(messages) {
      const [first] = messages;
      await life.pass({ deed: 'hint', task: first && taskOfHint(first.body) }, async () => {
        for (const message of messages) take(by, message);
      });
    },
    receive: rejectCall,
    done: rejectCall,
    release: rejectCall,
  });

  return {
    of,
    goDark(): void {
      era++;
    },
  };
}

const rejectCall = async (): Promise<never> => {
  throw new Error('Nobody asks this here.');
};
