/** Webhook receivers that verify each webhook, fail at times, and record what they accepted from which sender. */

import type { PostResult } from '../../../shared/ports.ts';
import { verifyWebhook } from '../../../shared/webhooks/signing.ts';
import { answered } from '../../support/post-answers.ts';
import type { Lives } from './life.ts';
import type { Rates } from './setting.ts';
import type { VirtualTime } from './virtual-time.ts';
import type { Sending } from './watch-hook.ts';
import { must } from './watch-task.ts';

/** `taken` holds the sending of each accepted repetition. */
export type Received = { body: string; taken: Sending[] };
type Message = { headers: Record<string, string>; body: string };
/** Receivers are unavailable before `awayUntil`. */
type Given = { time: VirtualTime; lives: Pick<Lives, 'chance' | 'between'>; rates: Rates; awayUntil: number };

const OK = answered();
const QUICKLY = [5, 400] as const;
const SLOWLY = [1_000, 10_000] as const;
const SLOW = 0.02;
const TOLERANCE_MS = 300_000;

export function receivers({ time, lives, rates, awayUntil }: Given) {
  const events = new Map<string, Received>();
  let lastTakenAt = 0;

  const sentAt = ({ headers }: Message): number => Number(headers['webhook-timestamp']) * 1_000;

  function received(secret: string, { headers, body }: Message): Received {
    const schemes = verifyWebhook([secret], { headers, body, now: sentAt({ headers, body }) });
    must(schemes.includes('webhook-signature'), 'every body has a Standard Webhooks signature');
    must(schemes.includes('x-service-signature'), 'every body has the signature in our own header');
    const id = headers['webhook-id'] ?? '';
    const event = events.get(id) ?? { body, taken: [] };
    must(event.body === body, 'an event is the same at each attempt');
    return event;
  }

  return {
    events: events as ReadonlyMap<string, Received>,
    lastTakenAt: () => lastTakenAt,
    async post(secret: string, message: Message, sending: Sending | undefined): Promise<PostResult> {
      await time.sleep(lives.between(lives.chance(SLOW) ? SLOWLY : QUICKLY));
      const event = received(secret, message);
      // A receiver that checks the timestamp rejects webhooks that were delayed for too long.
      if (Math.abs(time.now() - sentAt(message)) > TOLERANCE_MS) return { ...OK, status: 400 };
      if (time.now() < awayUntil || lives.chance(rates.refused)) return { ...OK, status: 503 };
      if (!sending) throw new Error('This does not hold: what is sent was claimed');
      events.set(message.headers['webhook-id'] ?? '', event);
      event.taken.push(sending);
      lastTakenAt = time.now();
      // The sender never learns that the webhook was accepted.
      if (lives.chance(rates.lostAnswer)) return lost(sending);
      sending.isTaken = true;
      return OK;
    },
  };
}

/** A lost response excuses a repetition, like a crash between the send and its mark. */
function lost(sending: Sending): PostResult {
  sending.isUnheard = true;
  return { fault: 'timeout' };
}

/** Whether a fault between this send and its mark excuses a repetition. */
export const isExcused = ({ life, faultsBefore, faultsAtMark, isUnheard }: Sending): boolean =>
  isUnheard === true || (faultsAtMark ?? life.faults()) > faultsBefore;
