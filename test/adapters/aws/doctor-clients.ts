/** The clients that the doctor examines a stage with; none reaches AWS. */
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SQSClient } from '@aws-sdk/client-sqs';
import { mockClient } from 'aws-sdk-client-mock';

const region = { region: 'eu-central-1' };

export const clients = {
  stacks: new CloudFormationClient(region),
  dynamo: new DynamoDBClient(region),
  s3: new S3Client(region),
  sqs: new SQSClient(region),
  ses: new SESv2Client(region),
};

/** Keyed by the service's name in policies. */
export const mocks = {
  cloudformation: mockClient(clients.stacks),
  dynamodb: mockClient(clients.dynamo),
  s3: mockClient(clients.s3),
  sqs: mockClient(clients.sqs),
  ses: mockClient(clients.ses),
};

/** A resource as CloudFormation describes it. */
export const queue = (LogicalResourceId: string) => ({
  LogicalResourceId,
  PhysicalResourceId: `https://sqs/${LogicalResourceId}`,
  ResourceType: 'AWS::SQS::Queue',
  LastUpdatedTimestamp: new Date(0),
  ResourceStatus: 'CREATE_COMPLETE' as const,
});
