/** Maps one minute of submissions to the keys, lists and shards that the product's own functions choose. */
import { ids as makeIds } from '../../../shared/core/ids.ts';
import { shardOf } from '../../../shared/core/shard.ts';
import { arrivals } from './arrivals.ts';
import type { Life, Touch } from './touches.ts';

/** The peak load of each in one second. */
export type Peaks = {
  offered: number;
  accepted: number;
  refused: number;
  calls: number;
  tableWrites: number;
  tableReads: number;
  keyWrites: number;
  keyReads: number;
  listWrites: number;
  shardWrites: number;
};

type Wanted = { aSecond: number; seed: number; withLimits: boolean };
type Second = Record<'keyWrites' | 'keyReads' | 'listWrites', Map<string, number>> & {
  shardWrites: Map<number, number>;
  sums: Record<'calls' | 'tableWrites' | 'tableReads', number>;
};

const MINUTE = 60;

export function simulate(life: Life, { aSecond, seed, withLimits }: Wanted): Peaks {
  const ids = makeIds({ now: () => Date.UTC(2026, 0) });
  const asked = new Map<number, number>();
  const of = { accepted: 0, refused: 0 };
  const isRefused = (organization: number): boolean => {
    const before = asked.get(organization) ?? 0;
    asked.set(organization, before + 1);
    const refused = withLimits && before >= life.submits.minute;
    of[refused ? 'refused' : 'accepted'] += 1 / MINUTE;
    return refused;
  };
  const seconds = arrivals(aSecond, seed).map((organizations) => {
    const second = quiet();
    for (const organization of organizations) {
      const refused = isRefused(organization);
      second.sums.calls += refused ? 1 : life.calls;
      // As if each task ended within its second, the worst case for shared keys.
      const names = { [life.organization]: String(organization), [life.taskId]: ids.uuid() };
      for (const touch of refused ? life.refused : life.touches) lay(second, touch, names);
    }
    return busiestOf(second);
  });
  return { offered: of.accepted + of.refused, ...of, ...busiest(seconds) };
}

const quiet = (): Second => ({
  keyWrites: new Map(),
  keyReads: new Map(),
  listWrites: new Map(),
  shardWrites: new Map(),
  sums: { calls: 0, tableWrites: 0, tableReads: 0 },
});

type Busiest = Omit<Peaks, 'offered' | 'accepted' | 'refused'>;

const most = (loads: Iterable<number>): number => {
  let found = 0;
  for (const load of loads) found = Math.max(found, load);
  return found;
};

const busiestOf = ({ keyWrites, keyReads, listWrites, shardWrites, sums }: Second): Busiest => ({
  ...sums,
  keyWrites: most(keyWrites.values()),
  keyReads: most(keyReads.values()),
  listWrites: most(listWrites.values()),
  shardWrites: most(shardWrites.values()),
});

function busiest(seconds: Busiest[]): Busiest {
  const of = (what: keyof Busiest) => most(seconds.map((second) => second[what]));
  return {
    calls: of('calls'),
    tableWrites: of('tableWrites'),
    tableReads: of('tableReads'),
    keyWrites: of('keyWrites'),
    keyReads: of('keyReads'),
    listWrites: of('listWrites'),
    shardWrites: of('shardWrites'),
  };
}

function lay(second: Second, touch: Touch, names: Record<string, string>): void {
  const own = (text: string) => Object.entries(names).reduce((made, [from, to]) => made.replace(from, to), text);
  const key = { pk: own(touch.key.pk), sk: touch.key.sk };
  if (touch.writes > 0) add(second.keyWrites, key.pk, touch.writes);
  if (touch.reads > 0) add(second.keyReads, key.pk, touch.reads);
  if (touch.list) add(second.listWrites, own(touch.list.partition), touch.list.units);
  if (touch.due > 0) add(second.shardWrites, shardOf(key), touch.due);
  second.sums.tableWrites += touch.writes;
  second.sums.tableReads += touch.reads;
}

function add<K>(to: Map<K, number>, key: K, amount: number): void {
  to.set(key, (to.get(key) ?? 0) + amount);
}
