/** The models that an operator describes; see `engines/models/profile.ts`. */

import * as v from 'valibot';
import { HOUR_MS } from '../core/time.ts';

/** The schema of an operator's model table. A function, so that bundles leave it out. */
export function modelTable() {
  const tokens = v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1_000), v.maxValue(10_000_000)));
  const isCapable = v.exactOptional(v.boolean());
  const dollars = v.pipe(v.number(), v.minValue(0));
  const profile = v.strictObject({
    context: tokens,
    output: tokens,
    whole: tokens,
    vision: isCapable,
    reasoning: isCapable,
    schema: v.exactOptional(v.picklist(['strict', 'tool', 'prompt'])),
    firstTokenMs: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1_000), v.maxValue(HOUR_MS))),
    price: v.exactOptional(
      v.strictObject({ input: dollars, output: dollars, cachedInput: v.exactOptional(dollars), asOf: v.string() }),
    ),
  });
  return v.pipe(v.string(), v.parseJson(), v.record(v.string(), profile));
}
