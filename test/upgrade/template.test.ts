import { afterAll, describe, expect, it } from 'vitest';
import type { Any } from '../support/any.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { NEWEST_RELEASE, readRecorded } from './recorded-file.ts';
import { templatesOfStages } from './recorded-stages.ts';
import { replacedResources, type Stateful, statefulResources } from './stateful-resources.ts';

type Recorded = { resources: Stateful; outputs: string[] };
const RECORDED: Record<string, Recorded> = readRecorded(NEWEST_RELEASE, 'template.json');

const folder = temporaryFolder();
afterAll(() => folder.remove());
const today = templatesOfStages(folder.path);

describe.each(Object.entries(RECORDED))(`a stage %s of ${NEWEST_RELEASE}`, (stage, { resources, outputs }) => {
  it('keeps its tables, buckets, queues, secrets, logs and addresses in a deployment of today', () => {
    expect(replacedResources(resources, statefulResources(today[stage]))).toEqual([]);
  });

  it('still tells the operator where they are', () => {
    expect(Object.keys(today[stage].Outputs)).toEqual(expect.arrayContaining(outputs));
  });
});

describe('a replaced resource is named:', () => {
  const changed = (change: (resources: Any) => void): string[] => {
    const template = structuredClone(today.production);
    change(template.Resources);
    return replacedResources(statefulResources(today.production), statefulResources(template));
  };
  const TABLE = 'StateTable962DE04C';

  it.each<[string, (resources: Any) => void, string]>([
    ['a table that is missing', (r) => delete r[TABLE], `${TABLE}: the AWS::DynamoDB::Table is missing`],
    [
      'a table under another logical id',
      (r) => {
        r.OtherTable = r[TABLE];
        delete r[TABLE];
      },
      `${TABLE}: the AWS::DynamoDB::Table is missing`,
    ],
    ['a table with a name', (r) => (r[TABLE].Properties.TableName = 'x'), `${TABLE}: TableName was not set and is "x"`],
    [
      'a table with other keys',
      (r) => (r[TABLE].Properties.KeySchema = []),
      `${TABLE}: KeySchema was [{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}] and is []`,
    ],
    [
      'an index that is missing',
      (r) => r[TABLE].Properties.GlobalSecondaryIndexes.pop(),
      `${TABLE}: index due was ${JSON.stringify(today.production.Resources[TABLE]?.Properties.GlobalSecondaryIndexes[1])} and is not set`,
    ],
    [
      'a bucket with a name',
      (r) => (r.BytesBucket7160C0ED.Properties.BucketName = 'x'),
      'BytesBucket7160C0ED: BucketName was not set and is "x"',
    ],
    [
      'another type under the same logical id',
      (r) => (r.QueuesLowLaneQueue215FD0CF.Type = 'AWS::SNS::Topic'),
      'QueuesLowLaneQueue215FD0CF: type was "AWS::SQS::Queue" and is "AWS::SNS::Topic"',
    ],
    [
      'the role of the schedules',
      (r) => delete r.SchedulesRole523D57EE,
      'SchedulesRole523D57EE: the AWS::IAM::Role is missing',
    ],
  ])('%s', (_, change, line) => {
    expect(changed(change)).toContain(line);
  });

  it('but neither a new one nor a change in place', () => {
    const lines = changed((r) => {
      r.NewTable = r[TABLE];
      r[TABLE].Properties.BillingMode = 'PROVISIONED';
      r[TABLE].Properties.GlobalSecondaryIndexes.push({ IndexName: 'new' });
      r.QueuesLowLaneQueue215FD0CF.Properties.VisibilityTimeout = 1;
    });
    expect(lines).toEqual([]);
  });
});
