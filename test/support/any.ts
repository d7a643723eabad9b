/** Untyped access to answers, messages and templates in tests. A missing field fails the test by itself. */

// biome-ignore lint/suspicious/noExplicitAny: with a type for each shape a test would state every answer twice
export type Any = any;
