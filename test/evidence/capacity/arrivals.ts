/** Ten thousand organizations that submit: a few a lot, most little (Zipf), each with occasional bursts. Random by a seed. */
import { seededRandom } from '../../support/seeded-random.ts';

export const ORGANIZATIONS = 10_000;
const SKEW = 1;
/** Tasks a minute; a burst lasts this many seconds and multiplies the rate. */
const BURST = { chance: 0.05, seconds: 10, times: 10 };
const MINUTE = 60;

/** For each second of a minute, the numbers of the submitting organizations, one for each task. */
export function arrivals(aSecond: number, seed: number): number[][] {
  const random = seededRandom(seed);
  const weights = Array.from({ length: ORGANIZATIONS }, (_, at) => 1 / (at + 1) ** SKEW);
  const usual = 1 + BURST.chance * (BURST.times - 1) * (BURST.seconds / MINUTE);
  const scale = aSecond / (weights.reduce((sum, weight) => sum + weight, 0) * usual);
  const seconds = Array.from({ length: MINUTE }, (): number[] => []);
  for (const [organization, weight] of weights.entries()) {
    const burstAt =
      random() < BURST.chance ? Math.floor(random() * (MINUTE - BURST.seconds)) : Number.POSITIVE_INFINITY;
    for (const [second, asked] of seconds.entries()) {
      const bursts = second >= burstAt && second < burstAt + BURST.seconds;
      const many = poisson(weight * scale * (bursts ? BURST.times : 1), random);
      for (let n = 0; n < many; n++) asked.push(organization);
    }
  }
  return seconds;
}

const MANY = 50;

/** For large counts, the normal distribution is close enough. */
function poisson(mean: number, random: () => number): number {
  if (mean > MANY) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  let left = Math.exp(-mean);
  let count = 0;
  for (let drawn = random(); drawn > left; drawn *= random()) {
    count++;
    if (drawn === 0) left = 1;
  }
  return count;
}
