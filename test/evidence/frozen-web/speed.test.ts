/** How long a research at depth `standard` takes with a model that answers at once, with and without the pauses for hosts. */
import { it } from 'vitest';
import { expectWithin } from '../../support/expect-time.ts';
import { proves } from '../../support/proves.ts';
import { mechanicalModel } from './mechanical-model.ts';
import { researchFrozen } from './research-frozen.ts';
import { frozenWeb } from './serve.ts';
import { type Kind, TOPICS, type Topic } from './topics.ts';

const MAX_SECONDS = 5;
const KINDS: readonly Kind[] = ['one', 'two', 'contradicting', 'unanswerable'];

/** Each time on a web of its own, so that no page and no rules of a host are known. */
async function secondsFor(topic: Topic, isPausing: boolean) {
  const web = await frozenWeb(undefined, { isPausing });
  const [begun, used] = [performance.now(), process.cpuUsage()];
  await researchFrozen(web, topic, { model: mechanicalModel().model });
  const { user, system } = process.cpuUsage(used);
  const seconds = (performance.now() - begun) / 1_000;
  await web.close();
  return { seconds, processor: (user + system) / 1_000_000 };
}

it('takes at most 5 s at depth standard, pauses counted apart', async ({ task }) => {
  const ofKinds = KINDS.map((kind) => TOPICS.filter((topic) => topic.kind === kind).slice(0, 3));
  const bare: Awaited<ReturnType<typeof secondsFor>>[] = [];
  for (const topic of ofKinds.flat()) bare.push(await secondsFor(topic, false));
  // They wait most of the time, so they run side by side.
  const paused = await Promise.all(ofKinds.map(([first]) => secondsFor(first as Topic, true)));
  const slowest = (all: { seconds: number }[]) => Math.max(...all.map(({ seconds }) => seconds)).toFixed(1);
  const processor = Math.max(...bare.map((one) => one.processor));
  proves(
    task,
    `the slowest of ${bare.length} at depth standard took ${slowest(bare)} s (${processor.toFixed(1)} s of processor), ${slowest(paused)} s with the pauses between requests to a host`,
  );
  // Of the processor, as other programs may keep the machine busy meanwhile.
  expectWithin(1_000 * processor, 1_000 * MAX_SECONDS);
}, 120_000);
