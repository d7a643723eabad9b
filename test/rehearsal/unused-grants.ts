/** What the roles allow and no rehearsal uses, each with its reason. A grant that comes into use must leave this list. */

/** Without a function it holds for every one. */
export type Unused = { function?: string; grants: string[]; why: string };

export const UNUSED: Unused[] = [
  {
    grants: ['logs:CreateLogStream log', 'logs:PutLogEvents log'],
    why: 'Lambda itself writes what a function prints, with the role of the function.',
  },
  {
    function: 'files-and-tasks',
    grants: ['s3:AbortMultipartUpload object'],
    why: 'Gives up the parts of a long import whose source broke off.',
  },
  {
    function: 'run-task',
    grants: ['HighLane', 'NormalLane', 'LowLane'].map((lane) => `sqs:GetQueueAttributes queue ${lane}`),
    why: 'Lambda asks a queue what it is when it begins to poll it; our poller reads that in the template.',
  },
  {
    function: 'send-webhook',
    grants: ['sqs:GetQueueAttributes queue Webhooks'],
    why: 'Lambda asks a queue what it is when it begins to poll it; our poller reads that in the template.',
  },
  {
    function: 'agents',
    grants: [
      ...['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map(
        (name) => `dynamodb:${name} table`,
      ),
      'dynamodb:Query index list',
    ],
    why: 'The face has its health and nothing else before people can log in.',
  },
];
