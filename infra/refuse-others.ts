/** A setting that nobody asked for is most likely one misspelt, and would be passed over in silence. */

/** The CDK's own names have a colon, an at sign or a slash; this one is for its command line. */
const OF_THE_CDK = new Set(['cli-telemetry']);
const LOOKS_LIKE_OURS = /^[\w-]+$/;

export function refuseOthers(given: readonly string[], known: readonly string[]): void {
  const other = given.find((name) => LOOKS_LIKE_OURS.test(name) && !OF_THE_CDK.has(name) && !known.includes(name));
  if (other === undefined) return;
  throw new RangeError(`There is no setting ${JSON.stringify(other)}: there are ${known.toSorted().join(', ')}.`);
}
