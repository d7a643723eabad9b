/** What a test looks into whatever its shape: an answer, a message, a template. What is not there fails the test by itself. */

// biome-ignore lint/suspicious/noExplicitAny: with a type for each shape a test would state every answer twice
export type Any = any;
