/** The day an ephemeral stage ends: given, else that of its commit, as long as it is not past. */
type Days = { given: string | undefined; ofCommit: string | undefined; today: string | undefined };

const DAY = /^\d{4}-\d\d-\d\d$/;

/** On a day that is past a stage would be swept away in the night after its deployment, data included. Days compare as texts. */
export function dayOfEnd({ given, ofCommit, today = '' }: Days): string | undefined {
  if (given === undefined) return ofCommit !== undefined && ofCommit >= today ? ofCommit : undefined;
  // What is no day at all is refused with the other settings.
  if (!DAY.test(given) || given >= today) return given;
  throw new RangeError(`expires is ${JSON.stringify(given)}, which is past: give ${today} or a later day.`);
}
