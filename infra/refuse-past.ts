/** A stage whose day is past would be swept away in the night after its deployment, data included. */
type Days = { expires: string | undefined; today: string | undefined; isGiven: boolean };

/** Without a day of today nothing is past. Days compare as texts. */
export function refusePast({ expires, today, isGiven }: Days): void {
  if (expires === undefined || today === undefined || expires >= today) return;
  const remedy = isGiven
    ? `such a stage is swept away within a day; give ${today} or a later day.`
    : 'this commit is older than a fortnight; give -c expires=YYYY-MM-DD.';
  throw new RangeError(`expires is ${expires}, which is past: ${remedy}`);
}
