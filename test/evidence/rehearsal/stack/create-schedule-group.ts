/** Creates a schedule group in moto under the template's name, which the roles' grants contain too. */
import { CreateScheduleGroupCommand, SchedulerClient } from '@aws-sdk/client-scheduler';
import { connection } from './connection.ts';
import type { Wanted } from './create.ts';
import { ACCOUNT, type Created, createdResource, REGION } from './template.ts';

export async function createScheduleGroup({ properties, places }: Wanted): Promise<Created> {
  const client = new SchedulerClient(connection(places.emulators.awsUrl));
  const { Name = '' } = properties as { Name?: string };
  await client.send(new CreateScheduleGroupCommand({ Name }));
  client.destroy();
  return createdResource(Name, { Arn: `arn:aws:scheduler:${REGION}:${ACCOUNT}:schedule-group/${Name}` });
}
