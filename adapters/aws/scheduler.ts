/** Schedules of EventBridge Scheduler: one for each task, which sends the task's hint straight to its lane. */

import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ListSchedulesCommand,
  type SchedulerClient,
  UpdateScheduleCommand,
} from '@aws-sdk/client-scheduler';
import { type EachLane, laneOf } from '../../shared/core/lane.ts';
import { definedFields } from '../../shared/core/optional-fields.ts';
import type { ScheduledTask, Scheduler } from '../../shared/ports.ts';
import { hintOf } from '../../shared/tasks/hints.ts';
import { failAs, isAwsError } from './errors.ts';
import { expressionOf } from './schedule-expression.ts';

const fail = failAs('The scheduler');

/** The reconciler makes up for hints that were not delivered by then. */
const RETRIES = { MaximumRetryAttempts: 5, MaximumEventAgeInSeconds: 900 };

/** `lanes` are the ARNs of the queues, into which `role` may send. */
type Options = { client: () => SchedulerClient; group: string; role: string; lanes: EachLane<string> };

export function eventBridgeScheduler({ client, group: GroupName, role, lanes }: Options): Scheduler {
  return {
    async put(task, { priority, timing }) {
      const schedule: CreateScheduleCommandInput = {
        Name: nameOf(task),
        GroupName,
        ...expressionOf(timing),
        FlexibleTimeWindow: { Mode: 'OFF' },
        ActionAfterCompletion: 'DELETE',
        Target: { Arn: lanes[laneOf(priority)], RoleArn: role, Input: hintOf(task), RetryPolicy: RETRIES },
      };
      try {
        await client().send(new CreateScheduleCommand(schedule));
      } catch (error) {
        if (!isAwsError(error, 'ConflictException')) return fail(error);
        await client().send(new UpdateScheduleCommand(schedule)).catch(fail);
      }
    },

    async remove(task) {
      await client()
        .send(new DeleteScheduleCommand({ Name: nameOf(task), GroupName }))
        .catch((error) => (isAwsError(error, 'ResourceNotFoundException') ? undefined : fail(error)));
    },

    async list({ after, limit }) {
      const input = { GroupName, MaxResults: limit, ...definedFields({ NextToken: after }) };
      const { Schedules = [], NextToken } = await client().send(new ListSchedulesCommand(input)).catch(fail);
      const rows = Schedules.flatMap(({ Name = '' }) => parseScheduleName(Name) ?? []);
      return NextToken ? { rows, next: NextToken } : { rows };
    },
  };
}

/** Two UUIDs without dashes: exactly as long as a name may be. */
const nameOf = ({ organization, taskId }: ScheduledTask): string =>
  [organization, taskId].map((id) => id.replaceAll('-', '')).join('');

/** Returns `undefined` for a schedule that Errand did not create. */
function parseScheduleName(name: string): ScheduledTask | undefined {
  const ids = /^([0-9a-f]{32})([0-9a-f]{32})$/.exec(name)?.slice(1).map(toUuid);
  return ids && { organization: ids[0] ?? '', taskId: ids[1] ?? '' };
}

const toUuid = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
