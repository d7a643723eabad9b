/** The schedule group of recurring tasks, and the role that sends their hints. */
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import type { BundledFunction } from './function.ts';

const ACTIONS = ['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'];

export class Schedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly role: Role;
  private readonly lanes: string[];

  /** `lanes` are the ARNs of the queues: high, normal, low. */
  constructor(scope: Construct, id: string, { lanes }: { lanes: string[] }) {
    super(scope, id);
    this.lanes = lanes;
    const { account, stackName: scheduleGroupName } = Stack.of(this);
    // Its schedules are useless without the stack, and are recreated from the tasks.
    this.group = new ScheduleGroup(this, 'Group', { scheduleGroupName, removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', {
      // Only for this account's schedules in this group (confused deputy).
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': account, 'aws:SourceArn': this.group.scheduleGroupArn },
        },
      }),
    });
    this.role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: lanes }));
  }

  grantScheduling(to: BundledFunction): void {
    to.allow(
      ACTIONS.map((action) => `scheduler:${action}`),
      [this.scheduleArns],
    );
    // What lists them names no group as its resource.
    to.allow(['scheduler:ListSchedules'], ['*']);
    to.allow(['iam:PassRole'], [this.role.roleArn]);
    to.tell(environment.schedules, this.group.scheduleGroupName);
    to.tell(environment.schedulesRole, this.role.roleArn);
    to.tell(environment.scheduledLanes, this.lanes.join(','));
  }

  private get scheduleArns(): string {
    return Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${this.group.scheduleGroupName}/*`,
    });
  }
}
