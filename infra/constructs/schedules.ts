/** The schedule group of recurring tasks. */
import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { environment } from '../../shared/core/environment.ts';
import { TO_WRITE } from './customer-key.ts';
import { type BundledFunction, type Lifecycle, schedulerOf } from './function.ts';

const ACTIONS = ['CreateSchedule', 'UpdateSchedule', 'DeleteSchedule'];

export class Schedules extends Construct {
  private readonly group: ScheduleGroup;
  private readonly role: Role;
  private readonly lanes: string[];

  /** `lanes` are the ARNs of the queues: high, normal, low. */
  constructor(
    scope: Construct,
    id: string,
    { lanes, customerKey }: { lanes: string[] } & Pick<Lifecycle, 'customerKey'>,
  ) {
    super(scope, id);
    this.lanes = lanes;
    const { stackName: scheduleGroupName } = Stack.of(this);
    // Its schedules are useless without the stack, and are recreated from the tasks.
    this.group = new ScheduleGroup(this, 'Group', { scheduleGroupName, removalPolicy: RemovalPolicy.DESTROY });
    this.role = new Role(this, 'Role', { assumedBy: schedulerOf(this, this.group.scheduleGroupArn) });
    this.role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: lanes }));
    if (customerKey) this.role.addToPolicy(customerKey.statement('sqs', TO_WRITE));
  }

  grantScheduling(to: BundledFunction): void {
    to.allow(
      ACTIONS.map((action) => `scheduler:${action}`),
      [this.scheduleArns],
    );
    // ListSchedules does not support a group as its resource.
    to.allow(['scheduler:ListSchedules'], ['*']);
    to.allow(['iam:PassRole'], [this.role.roleArn]);
    to.setEnvironment(environment.schedules, this.group.scheduleGroupName);
    to.setEnvironment(environment.schedulesRole, this.role.roleArn);
    to.setEnvironment(environment.scheduledLanes, this.lanes.join(','));
  }

  private get scheduleArns(): string {
    return Stack.of(this).formatArn({
      service: 'scheduler',
      resource: 'schedule',
      resourceName: `${this.group.scheduleGroupName}/*`,
    });
  }
}
