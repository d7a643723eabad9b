/** The limits of SQS, checked for every queue, so that a local run accepts no more than AWS. */

import type { OutgoingMessage } from '../ports.ts';

export const QUEUE_LIMITS = { messageBytes: 262_144, batch: 10, delaySeconds: 900, waitSeconds: 20 } as const;
const RELEASE_SECONDS = 43_200;
const GROUP = /^[!-~]{1,128}$/;
/** The characters that XML 1.0 allows; lone surrogates are invalid. */
const BODY = /^[\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]+$/u;

export function checkSend(messages: OutgoingMessage[]): void {
  wholeWithin('messages in a batch', messages.length, 1, QUEUE_LIMITS.batch);
  let bytes = 0;
  for (const { body, group, delaySeconds = 0 } of messages) {
    wholeWithin('delaySeconds', delaySeconds, 0, QUEUE_LIMITS.delaySeconds);
    if (group !== undefined && !GROUP.test(group))
      throw new RangeError('A group is 1 to 128 printable ASCII characters.');
    bytes += Buffer.byteLength(body, 'utf8');
    if (bytes > QUEUE_LIMITS.messageBytes)
      throw new RangeError(`A batch has ${QUEUE_LIMITS.messageBytes} bytes at most.`);
    if (!BODY.test(body)) throw new RangeError('A body is empty, or has characters that no queue carries.');
  }
}

export function checkReceive(max: number, waitSeconds: number): void {
  wholeWithin('most', max, 1, QUEUE_LIMITS.batch);
  wholeWithin('waitSeconds', waitSeconds, 0, QUEUE_LIMITS.waitSeconds);
}

export const checkRelease = (seconds: number): void => wholeWithin('seconds', seconds, 0, RELEASE_SECONDS);

function wholeWithin(name: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new RangeError(`${name} must be a whole number from ${min} to ${max}, not ${value}.`);
}
