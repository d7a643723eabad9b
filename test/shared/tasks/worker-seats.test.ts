/** Limits on the worker instances that one organization's tasks may occupy. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LANES } from '../../../shared/core/lane.ts';
import { seatLimits } from '../../../shared/lanes/worker-seats.ts';
import { INSTANCES_OF_A_STAGE, seatsOver } from './seats-setup.ts';
import { openTasks, type TaskSetup } from './setup.ts';

const MINUTE = 60_000;
const RENEW_EVERY_MS = 20_000;
const [A, B] = ['organization-a', 'organization-b'];

let opened: TaskSetup;
beforeEach(() => {
  opened = openTasks();
});
afterEach(() => opened.close());

describe('the seats of one organization', () => {
  it.each(Array.from({ length: 60 }, (_, at) => at + 5))('are at most three quarters of %i instances', (instances) => {
    const { open, perOrganization: own } = seatLimits(instances);
    expect(own).toBeGreaterThan(0);
    expect(open + own).toBeLessThanOrEqual(0.75 * instances);
    expect(instances - open - own).toBeGreaterThanOrEqual(Math.min(4, instances - 1));
  });

  it.each([2, 3, 4])('leave at least one of %i instances to others', (instances) => {
    const { open, perOrganization: own } = seatLimits(instances);
    expect(open + own).toBeLessThanOrEqual(0.75 * instances);
  });

  it.each(LANES)('are not exceeded when all instances of a stage take one concurrently, lane %s', async (lane) => {
    const instances = INSTANCES_OF_A_STAGE[lane];
    const { open, perOrganization: own } = seatLimits(instances);
    const all = Array.from({ length: instances }, () => seatsOver(opened, { lane, instances }));
    const taken = await Promise.all(all.map(({ seats }) => seats.take(A)));
    expect(taken.filter((seat) => seat !== undefined)).toHaveLength(open + own);
    // Another organization has its own seats.
    const without = all.filter((_, at) => taken[at] === undefined);
    const others = await Promise.all(without.map(({ seats }) => seats.take(B)));
    expect(others.filter((seat) => seat !== undefined)).toHaveLength(Math.min(own, without.length));
  });
});

describe('an open seat', () => {
  const setting = { lane: 'normal', instances: 12 } as const;

  it('is kept between batches without another call to the table', async () => {
    const counted = seatsOver(opened, setting);
    await (await counted.seats.take(A))?.release();
    const calls = counted.calls();
    await (await counted.seats.take(B))?.release();
    expect(calls).toBe(2);
    expect(counted.calls()).toBe(calls);
  });

  it('becomes free for another instance when its holder has not used it for two minutes', async () => {
    const holders = Array.from({ length: seatLimits(12).open }, () => seatsOver(opened, setting));
    for (const { seats } of holders) await seats.take(A);
    opened.clock.pass(2 * MINUTE);
    const late = seatsOver(opened, setting);
    await late.seats.take(A);
    const calls = late.calls();
    await late.seats.take(B);
    expect(late.calls()).toBe(calls);
  });

  it('is renewed while a task runs on it, and is not lost', async () => {
    const holder = seatsOver(opened, setting);
    const seat = await holder.seats.take(A);
    for (let times = 0; times < 45; times++) {
      opened.clock.pass(RENEW_EVERY_MS);
      await holder.strike();
    }
    expect(seat?.lost.aborted).toBe(false);
  });

  it('is lost when it could not be renewed in time', async () => {
    const holder = seatsOver(opened, setting);
    const seat = await holder.seats.take(A);
    holder.fail();
    for (let times = 0; times < 6; times++) {
      expect(seat?.lost.aborted).toBe(false);
      opened.clock.pass(RENEW_EVERY_MS);
      await holder.strike();
    }
    expect(seat?.lost.aborted).toBe(true);
  });
});

it('a seat of the organization is free for another instance when the batch has ended', async () => {
  const setting = { lane: 'low', instances: 5 } as const;
  expect(seatLimits(5)).toEqual({ open: 0, perOrganization: 1 });
  const [one, other] = [seatsOver(opened, setting), seatsOver(opened, setting)];
  const seat = await one.seats.take(A);
  expect(await other.seats.take(A)).toBeUndefined();
  await seat?.release();
  opened.clock.pass(1_000);
  expect(await other.seats.take(A)).toBeDefined();
});
