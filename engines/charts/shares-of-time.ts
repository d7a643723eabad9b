/** Where days stand between the first and the last of them: 0 to 1. Undefined where labels are anything but rising days. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;

export function timePositions(labels: readonly string[]): number[] | undefined {
  const times = labels.map((label) => (DAY.test(label) ? Date.parse(label) : Number.NaN));
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  const isRising = times.length > 1 && times.every((time, at) => time > (at === 0 ? -Infinity : (times[at - 1] ?? 0)));
  return isRising ? times.map((time) => (time - first) / (last - first)) : undefined;
}
