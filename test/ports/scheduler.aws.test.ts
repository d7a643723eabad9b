import { randomUUID } from 'node:crypto';
import {
  CreateScheduleCommand,
  CreateScheduleGroupCommand,
  DeleteScheduleGroupCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
} from '@aws-sdk/client-scheduler';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schedulerClient } from '../../adapters/aws/clients.ts';
import { environmentConnection } from '../../adapters/aws/connection.ts';
import { eventBridgeScheduler } from '../../adapters/aws/scheduler.ts';
import type { Timing } from '../../shared/ports.ts';
import { allIn, DAILY, newTask, schedulerContract } from './scheduler.ts';

const client = new SchedulerClient();
const productClient = schedulerClient(environmentConnection(process.env));
const role = 'arn:aws:iam::123456789012:role/errand-schedules';
const arnOf = (lane: string) => `arn:aws:sqs:us-east-1:123456789012:${lane}`;
const lanes = { high: arnOf('high'), normal: arnOf('normal'), low: arnOf('low') };

async function open() {
  const group = `errand-${randomUUID()}`;
  await client.send(new CreateScheduleGroupCommand({ Name: group }));
  return {
    group,
    scheduler: eventBridgeScheduler({ client: () => productClient, group, role, lanes }),
    close: async () => void (await client.send(new DeleteScheduleGroupCommand({ Name: group }))),
  };
}

schedulerContract('a group of EventBridge Scheduler', open);

describe('a group of EventBridge Scheduler', () => {
  let at: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    at = await open();
  });
  afterEach(() => at.close());

  async function scheduleOf(timing: Timing, priority = 5) {
    const task = newTask();
    await at.scheduler.put(task, { priority, timing });
    const Name = (task.organization + task.taskId).replaceAll('-', '');
    return { task, schedule: await client.send(new GetScheduleCommand({ GroupName: at.group, Name })) };
  }

  it.each<[string, string, string]>([
    ['d 083000 Europe/Berlin', 'cron(30 8 * * ? *)', 'Europe/Berlin'],
    ['d 083059 UTC', 'cron(30 8 * * ? *)', 'UTC'],
    ['w1 000000 UTC', 'cron(0 0 ? * MON *)', 'UTC'],
    ['w7 235900 UTC', 'cron(59 23 ? * SUN *)', 'UTC'],
    ['m28 120000 UTC', 'cron(0 12 28 * ? *)', 'UTC'],
    ['m29 120000 UTC', 'cron(0 12 28-29 * ? *)', 'UTC'],
    ['m30 120000 UTC', 'cron(0 12 28-30 * ? *)', 'UTC'],
    ['m31 120000 UTC', 'cron(0 12 L * ? *)', 'UTC'],
  ])('says %s as %s', async (by, ScheduleExpression, ScheduleExpressionTimezone) => {
    expect((await scheduleOf({ by })).schedule).toMatchObject({ ScheduleExpression, ScheduleExpressionTimezone });
  });

  it('says a single instant in UTC', async () => {
    const { schedule } = await scheduleOf({ at: Date.parse('2099-02-03T04:05:06.789Z') });
    expect(schedule).toMatchObject({
      ScheduleExpression: 'at(2099-02-03T04:05:06)',
      ScheduleExpressionTimezone: 'UTC',
      ActionAfterCompletion: 'DELETE',
    });
  });

  it.each([
    [10, lanes.high],
    [5, lanes.normal],
    [1, lanes.low],
  ])('sends the hint of priority %i to %s, in its very minute', async (priority, Arn) => {
    const { task, schedule } = await scheduleOf(DAILY, priority);
    expect(schedule.FlexibleTimeWindow).toEqual({ Mode: 'OFF' });
    expect(schedule.Target).toMatchObject({ Arn, RoleArn: role });
    expect(JSON.parse(schedule.Target?.Input ?? '')).toEqual(task);
  });

  it('overwrites what a schedule was when it is put again', async () => {
    const { task } = await scheduleOf(DAILY);
    await at.scheduler.put(task, { priority: 1, timing: { by: 'm5 070000 UTC' } });
    const Name = (task.organization + task.taskId).replaceAll('-', '');
    const schedule = await client.send(new GetScheduleCommand({ GroupName: at.group, Name }));
    expect(schedule).toMatchObject({ ScheduleExpression: 'cron(0 7 5 * ? *)', Target: { Arn: lanes.low } });
  });

  it('lists nothing of other groups, and nothing that is none of ours', async () => {
    const { task } = await scheduleOf(DAILY);
    const otherGroup = await open();
    await otherGroup.scheduler.put(newTask(), { priority: 5, timing: DAILY });
    const strange = {
      GroupName: at.group,
      Name: 'by-hand',
      ScheduleExpression: 'rate(1 day)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      Target: { Arn: lanes.low, RoleArn: role },
    } as const;
    await client.send(new CreateScheduleCommand(strange));
    expect(await allIn(at.scheduler)).toEqual([task]);
    expect((await client.send(new ListSchedulesCommand({ GroupName: at.group }))).Schedules).toHaveLength(2);
    await otherGroup.close();
  });
});
