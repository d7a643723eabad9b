/** What is said of models that a stage may not ask: the stack lets its workers ask those it lists, and no others of Bedrock. */
export function noteOnGrants(named: readonly string[], granted: readonly string[]): string | undefined {
  const others = named.filter((model) => model.startsWith('bedrock/') && !granted.includes(model));
  if (others.length === 0) return undefined;
  return `The stage may ask these only once it is deployed with them in "models": ${others.join(', ')}.`;
}
