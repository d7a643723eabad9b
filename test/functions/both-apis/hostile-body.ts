/** Invalid bodies: a valid one with some values changed, removed or enlarged, or no JSON at all. */
import fc from 'fast-check';

/** The value of every unknown field, which must never be stored. */
export const UNKNOWN = 'what-nobody-asked-for';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Change = { at: number; how: 'replace' | 'remove' | 'grow'; junk: Json };

const junk: fc.Arbitrary<Json> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom<Json>(
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    1e308,
    true,
    [],
    {},
    [[]],
    'x'.repeat(10_001),
    '\u0000',
    '\ud800',
    '2026',
    'https://10.0.0.1/',
  ),
  fc.constantFrom<Json>(
    ['market_data'],
    { url: 'https://a.errand-tests.org/' },
    'https://a.errand-tests.org/',
    5,
    60,
    'text',
  ),
);

const change: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(60),
  how: fc.constantFrom('replace', 'replace', 'remove', 'grow'),
  junk,
});

const textOf = (good: Json): fc.Arbitrary<Uint8Array> =>
  fc.array(change, { maxLength: 5 }).map((changes) => Buffer.from(JSON.stringify(changes.reduce(changedValue, good))));

export const hostileBody = (good: Json): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    { weight: 18, arbitrary: textOf(good) },
    { weight: 1, arbitrary: junk.map((value) => Buffer.from(JSON.stringify(value))) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 100 }) },
  );

/** Changes the value with this number, counted depth first. */
function changedValue(value: Json, { at, how, junk: by }: Change): Json {
  const copy = structuredClone(value);
  const places = placesIn(copy);
  const place = places[at % Math.max(1, places.length)];
  if (!place) return by;
  const { holder, key } = place;
  const inner = (holder as Record<string, Json>)[key];
  if (how === 'remove') delete (holder as Record<string, Json>)[key];
  else if (how === 'replace') (holder as Record<string, Json>)[key] = by;
  else grownValue(holder, inner, by);
  return copy;
}

function grownValue(holder: object, inner: Json | undefined, by: Json): void {
  const target = typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? inner : holder;
  // Metadata is the only object with the caller's own keys.
  if (Array.isArray(target)) target.push(by);
  else if (!Object.hasOwn(target, 'order'))
    Object.assign(target, { [UNKNOWN]: UNKNOWN, unheard_of: { [UNKNOWN]: by } });
}

type Place = { holder: object; key: string };

function placesIn(value: Json): Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)]);
}
