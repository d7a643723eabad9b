/** How files and hits of a search share the room of a message. */
import { expect, it } from 'vitest';
import { fairShares } from '../../../agents/chat/fair-shares.ts';

it.each([
  ['all that fits', [10, 20], 100, [10, 20]],
  ['the same to two long ones', [90, 90], 100, [50, 50]],
  ['what short ones leave to the long ones, in their order', [90, 10, 90], 100, [45, 10, 45]],
  ['nothing of nothing', [], 100, []],
])('gives %s', (_what, lengths, total, shares) => expect(fairShares(lengths, total)).toEqual(shares));
