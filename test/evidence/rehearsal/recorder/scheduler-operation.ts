/** The operation of a request to EventBridge Scheduler, and what a role must allow for it. */
import { ACCOUNT, REGION } from '../stack/template.ts';
import type { Need } from './allows.ts';
import type { Operation } from './s3-operation.ts';
import type { Wire } from './wire.ts';

export type Asked = { GroupName?: string; Target?: { RoleArn?: string } };

const NAMES: Record<string, string> = { POST: 'CreateSchedule', PUT: 'UpdateSchedule', DELETE: 'DeleteSchedule' };

export function schedulerOperation({ method, path, query }: Wire, { GroupName, Target }: Asked): Operation | undefined {
  const [, place, name] = path.split('/');
  if (place !== 'schedules') return undefined;
  // IAM has no resource for this action.
  if (method === 'GET' && !name) return { name: 'ListSchedules', needs: [needOf('scheduler:ListSchedules', '*')] };
  const operation = NAMES[method];
  if (!operation || !name) return undefined;
  const group = GroupName ?? query.get('groupName') ?? 'default';
  const resource = `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule/${group}/${name}`;
  const passed = Target?.RoleArn === undefined ? [] : [needOf('iam:PassRole', Target.RoleArn)];
  return { name: operation, needs: [needOf(`scheduler:${operation}`, resource), ...passed] };
}

const needOf = (action: string, resource: string): Need => ({ action, resource });
