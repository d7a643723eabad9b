import { beforeAll, expect, test } from 'vitest';
import { settingsOf } from '../../../infra/settings.ts';
import { DUE_SHARDS } from '../../../shared/core/port-limits.ts';
import { arrivals } from './arrivals.ts';
import { simulate } from './simulate.ts';
import { type Life, lifeOfATask } from './touches.ts';
import { seatUnits, standings, walls } from './walls.ts';

let life: Life;
beforeAll(async () => {
  life = await lifeOfATask();
});

const seed = 1;

test('a task touches no key that another organization shares, and no other task but through its own', () => {
  for (const { key } of life.touches) expect(key.pk.startsWith(`O#${life.organization}`), key.pk).toBe(true);
  const tasks = life.touches.filter(({ writes, key }) => writes > 0 && key.pk.includes(life.taskId));
  expect(tasks.map(({ key }) => key.sk.split('#')[0])).toEqual(expect.arrayContaining(['TASK', 'ABOUT', 'RESULT']));
});

test('organizations come as often as the load says, the first most often, the same again by their seed', () => {
  const asked = arrivals(100, seed);
  expect(asked.flat().length / asked.length).toBeCloseTo(100, -1);
  expect(arrivals(100, seed)).toEqual(asked);
  expect(arrivals(100, 2)).not.toEqual(asked);
  const first = asked.flat().filter((organization) => organization === 0).length;
  expect(first).toBeGreaterThan(asked.flat().filter((organization) => organization === 99).length * 10);
});

test('the limit of an organization keeps its own keys cool', () => {
  const limited = simulate(life, { aSecond: 500, seed, withLimits: true });
  const lifted = simulate(life, { aSecond: 500, seed, withLimits: false });
  expect(lifted.refused).toBe(0);
  expect(limited.refused).toBeGreaterThan(0);
  expect(limited.accepted + limited.refused).toBeCloseTo(lifted.accepted, 5);
  expect(limited.listWrites).toBeLessThan(lifted.listWrites);
});

test('what is due is spread over all shards', () => {
  const { shardWrites, offered } = simulate(life, { aSecond: 500, seed, withLimits: false });
  const due = life.touches.reduce((sum, touch) => sum + touch.due, 0);
  expect(shardWrites).toBeLessThan((3 * due * offered) / DUE_SHARDS);
});

test('the workers of the middle lane are the first wall, and a stage with more of them meets another', () => {
  const settings = settingsOf('prod');
  const first = (atOnce: number) => {
    const all = walls({ ...settings, workers: { ...settings.workers, atOnce }, roundRows: 30_000 });
    return standings(life, all, { seed, most: 200, withLimits: true }).found[0];
  };
  expect(first(40)?.wall.name).toBe('workers of the middle lane');
  expect(first(40)?.at).toBeCloseTo(3, 0);
  expect(first(4_000)?.wall.name).toBe('throttle of the API');
});

test('no lane has more instances than Lambda takes for its queue, however many are set', () => {
  const most = walls({ ...settingsOf('prod', { workerInstances: '2001' }), roundRows: 30_000 });
  const [set, possible] = most.filter(({ unit }) => unit === 'concurrent tasks');
  expect(set?.bears).toBe(possible?.bears);
  expect(possible?.bears).toBe(3_000);
});

test('renewing all seats of the largest lane stays below what one key takes', () => {
  const units = [10, 100, 1_000].map(seatUnits);
  expect(units[0]).toBeLessThan(1);
  // Twice as many holders write twice as often, and a row twice as long.
  expect(units[2]).toBeGreaterThan((units[1] ?? 0) * 50);
  expect(units[2]).toBeLessThan(1_000);
});
