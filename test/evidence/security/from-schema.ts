/** Generates values from a JSON Schema, most of them valid. */
import type { Any } from '../../support/any.ts';

type Random = () => number;
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** Values that are often valid: most strings of the contracts are names, URLs, times and ids. */
const WORDS = [
  'https://files.customer-a.com/a.pdf',
  'https://hooks.customer-a.com/x',
  'a.txt',
  'text/plain',
  'market_data',
  'a@errand-tests.org',
  'x',
  'offline/extractive',
  '09:00:00',
  'UTC',
  '01900000-0000-7000-8000-00000000abcd',
  'What rose in spring?',
  '2026-01-01T00:00:00.000Z',
] as const;

export const pick = <T>(all: readonly T[], random: Random): T => all[Math.floor(random() * all.length)] as T;

const MAX_DEPTH = 8;

export function valueFrom(schema: Any, document: Any, random: Random, depth = 0): Json {
  const again = (inner: Any) => valueFrom(inner, document, random, depth + 1);
  if (schema.$ref) return again(document.components.schemas[schema.$ref.split('/').at(-1)]);
  if ('const' in schema) return schema.const;
  const some = schema.enum ?? (random() < 0.5 ? schema.examples : undefined);
  if (some) return pick(some as Json[], random);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return again(pick(choices, random));
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(again));
  const type = Array.isArray(schema.type) ? pick(schema.type as string[], random) : schema.type;
  return (BY_TYPE[type] ?? anyWord)(schema, random, again, depth);
}

type Make = (schema: Any, random: Random, again: (inner: Any) => Json, depth: number) => Json;

const anyWord: Make = (_, random) => pick(WORDS, random);
const anyNumber: Make = ({ minimum = 0 }, random) => minimum + Math.floor(random() * 5);

const BY_TYPE: Record<string, Make> = {
  object({ properties = {}, required = [] }, random, again) {
    const names = Object.keys(properties).filter((name) => required.includes(name) || random() < 0.6);
    return Object.fromEntries(names.map((name) => [name, again(properties[name])]));
  },
  array({ minItems = 0, items = {} }, random, again, depth) {
    const length = depth > MAX_DEPTH ? 0 : minItems + Math.floor(random() * 3);
    return Array.from({ length }, () => again(items));
  },
  integer: anyNumber,
  number: anyNumber,
  boolean: (_, random) => random() < 0.5,
  null: () => null,
};
