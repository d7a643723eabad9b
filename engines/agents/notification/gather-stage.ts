/** Gathers what the sources brought since; what could not be had is named. */

import type { GatheredItems } from '../../../shared/sources/gathered.ts';
import type { Stage } from '../../../shared/tasks/agent.ts';
import { keepJson } from '../keep.ts';
import type { NotificationSetting } from './ports.ts';
import { handOn, knownAtFirst, type NotificationCarried, sourceRead } from './state.ts';

const MOST_ITEMS = 60;

export const gatherStage = ({ ports, plan, input }: NotificationSetting): Stage => ({
  name: 'gathering',
  async run({ address, signal, report, run }): Promise<NotificationCarried> {
    const ownHosts = input.ownHosts ?? [];
    const gathered: GatheredItems[] = [];
    for (const [done, source] of plan.sources.entries()) {
      const ask = { queries: [], places: [], mostItems: MOST_ITEMS, signal, ownHosts };
      gathered.push(await ports.gather(address.organization, source, ask));
      report((done + 1) / plan.sources.length);
    }
    const known = { ...knownAtFirst(plan), sources: gathered.map(sourceRead) };
    const gatheredAt = await keepJson(ports, address, gathered);
    return handOn({ plan, known: { ...known, gatheredAt }, run, stages: ['gathering'] });
  },
});
