/** Creates the template's resources on the emulators, each from its properties in the template. */
import type { Emulators } from '../../../support/emulators/start.ts';
import { createBucket } from './create-bucket.ts';
import { createMailSet } from './create-mail-set.ts';
import { createQueue } from './create-queue.ts';
import { createScheduleGroup } from './create-schedule-group.ts';
import { createSecret } from './create-secret.ts';
import { createTable } from './create-table.ts';
import { resolve } from './resolve.ts';
import { type Created, imaginedResource, type Look, type Template } from './template.ts';

export type Wanted = { name: string; properties: unknown; places: Places };

export type Places = {
  emulators: Emulators;
  /** The endpoint of AWS for the functions. */
  awsUrl: string;
};

const CREATORS: Record<string, (wanted: Wanted) => Promise<Created>> = {
  'AWS::DynamoDB::Table': createTable,
  'AWS::S3::Bucket': createBucket,
  'AWS::Scheduler::ScheduleGroup': createScheduleGroup,
  'AWS::SecretsManager::Secret': createSecret,
  'AWS::SES::ConfigurationSet': createMailSet,
  'AWS::SQS::Queue': createQueue,
};

/** `known` holds resources that were created elsewhere. A resource without a creator gets imagined attributes. */
export async function create(template: Template, places: Places, known: Map<string, Created>): Promise<Look> {
  const made = new Map<string, Promise<Created>>();

  // Creates a resource on its first lookup, so that the order does not matter.
  const look: Look = (id) => {
    const making = made.get(id) ?? make(id);
    made.set(id, making);
    return making;
  };

  async function make(id: string): Promise<Created> {
    const { Type, Properties = {} } = template.Resources[id] ?? { Type: 'nothing' };
    const creator = CREATORS[Type];
    if (!creator) return known.get(id) ?? imaginedResource(id);
    return creator({ name: `rehearsal-${id}`, properties: await resolve(Properties, look), places });
  }

  const wanted = Object.entries(template.Resources).filter(([, { Type }]) => Type in CREATORS);
  await Promise.all(wanted.map(([id]) => look(id)));
  return look;
}
