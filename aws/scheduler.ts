/** Schedules of EventBridge Scheduler, in the group of the stack: one for each task, which sends its hint straight to its lane. */
import type { CreateScheduleCommandInput, ListSchedulesCommandOutput } from '@aws-sdk/client-scheduler';
import type { ScheduledTask, Scheduler, Timing } from '../shared/ports.ts';
import { parseSchedule } from '../shared/schedules/schedule.ts';
import { hintOf } from '../shared/tasks/hints.ts';
import { type EachLane, laneOf } from '../shared/tasks/lane.ts';
import { failAs, isAwsError } from './failures.ts';
import { cronOf, onceAt } from './schedule-expression.ts';
import type { RestCall } from './signed/rest-calls.ts';
import { encoded } from './signed/signature.ts';

const fail = failAs('The scheduler');

/** What was not taken for so long is the reconciler's by then. */
const RETRIES = { MaximumRetryAttempts: 5, MaximumEventAgeInSeconds: 900 };

/** `lanes` are the ARNs of the queues, into which `role` may send. */
type Options = { call: RestCall; group: string; role: string; lanes: EachLane<string> };

export function eventBridgeScheduler({ call, group: GroupName, role, lanes }: Options): Scheduler {
  return {
    async put(task, { priority, timing }) {
      const schedule: Omit<CreateScheduleCommandInput, 'Name'> = {
        GroupName,
        ...expressionOf(timing),
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: { Arn: lanes[laneOf(priority)], RoleArn: role, Input: hintOf(task), RetryPolicy: RETRIES },
      };
      try {
        await call({ method: 'POST', path: pathOf(task), body: schedule });
      } catch (error) {
        if (!isAwsError(error, 'ConflictException')) return fail(error);
        await call({ method: 'PUT', path: pathOf(task), body: schedule }).catch(fail);
      }
    },

    async remove(task) {
      await call({ method: 'DELETE', path: pathOf(task), query: { groupName: GroupName } }).catch((error) =>
        isAwsError(error, 'ResourceNotFoundException') ? undefined : fail(error),
      );
    },

    async list({ after, limit }) {
      const from = after === undefined ? {} : { NextToken: after };
      const query = { ScheduleGroup: GroupName, MaxResults: String(limit), ...from };
      const listed = call<Partial<ListSchedulesCommandOutput>>({ method: 'GET', path: '/schedules', query });
      const { Schedules = [], NextToken } = await listed.catch(fail);
      const rows = Schedules.flatMap(({ Name = '' }) => taskNamed(Name) ?? []);
      return NextToken ? { rows, next: NextToken } : { rows };
    },
  };
}

const expressionOf = (timing: Timing) => ('at' in timing ? onceAt(timing.at) : cronOf(parseSchedule(timing.by)));

const pathOf = (task: ScheduledTask): string => `/schedules/${encoded(nameOf(task))}`;

/** Two UUIDs without their dashes are just as long as a name may be. */
const nameOf = ({ organization, taskId }: ScheduledTask): string =>
  [organization, taskId].map((id) => id.replaceAll('-', '')).join('');

/** Undefined for a schedule that is none of ours. */
function taskNamed(name: string): ScheduledTask | undefined {
  const ids = /^([0-9a-f]{32})([0-9a-f]{32})$/.exec(name)?.slice(1).map(dashed);
  return ids && { organization: ids[0] ?? '', taskId: ids[1] ?? '' };
}

const dashed = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
