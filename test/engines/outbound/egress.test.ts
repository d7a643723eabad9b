import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EGRESS_CASES } from './egress.ts';
import { wrongWith } from './egress-outcome.ts';
import { guardIn } from './guard.ts';

const guard = guardIn(join(import.meta.dirname, '../../../engines/outbound'));

describe('the labelled cases', () => {
  it('are all there', () => expect(EGRESS_CASES).toHaveLength(181));

  it.each(EGRESS_CASES)('$id: $expect $url', async (given) => {
    expect(await wrongWith(guard, given)).toBeUndefined();
  });
});
