/** Grants of the roles that no rehearsal uses, each with its reason. A grant that comes into use must leave this list. */

/** Without `function` an entry applies to every function. `sometimes`: the grant is used or not depending on timing. */
export type Unused = { function?: string; grants: string[]; why: string; sometimes?: true };

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
    function: 'files-and-tasks',
    grants: ['s3:ListBucket bucket'],
    why: 'Without it S3 answers 403 for bytes that another import of the same file has removed.',
  },
  {
    function: 'run-task',
    grants: ['HighLane', 'NormalLane', 'LowLane'].map((lane) => `sqs:GetQueueAttributes queue ${lane}`),
    why: 'Lambda asks a queue what it is when it begins to poll it; our poller reads that in the template.',
  },
  {
    function: 'run-task',
    grants: [
      'bedrock:InvokeModelWithResponseStream inference-profile/global.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'bedrock:InvokeModelWithResponseStream foundation-model/anthropic.claude-sonnet-4-5-20250929-v1:0',
    ],
    why: 'No server here speaks for Bedrock at its own address; test/engines/models shows the protocol.',
  },
  {
    function: 'run-task',
    grants: ['ses:SendEmail mail identity', 'ses:SendRawEmail mail identity'],
    why: "For an operator who verified the sender's domain instead of its address.",
  },
  {
    function: 'run-task',
    grants: ['s3:AbortMultipartUpload object'],
    why: 'Gives up the parts of a large archive when its worker is cut off.',
  },
  {
    function: 'run-task',
    grants: ['s3:DeleteObject object'],
    why: 'Removes the reading of a file that was deleted while it was read, or that an older version wrote; test/shared/files shows it.',
    sometimes: true,
  },
  {
    function: 'send-webhook',
    grants: ['s3:GetObject object'],
    why: 'It signs URLs of archives, which work only with this grant; no receiver in the rehearsal follows one.',
  },
  {
    function: 'send-webhook',
    grants: ['sqs:GetQueueAttributes queue Webhooks'],
    why: 'Lambda asks a queue what it is when it begins to poll it; our poller reads that in the template.',
  },
  {
    function: 'socket',
    grants: ['sqs:GetQueueAttributes queue Strangers'],
    why: 'Lambda asks a queue what it is when it begins to poll it; our poller reads that in the template.',
  },
  {
    function: 'send-webhook',
    grants: ['execute-api:ManageConnections connections POST'],
    why: 'Tells of a receiver that has failed five times in a row, which takes minutes; test/shared/realtime shows it.',
    sometimes: true,
  },
  {
    function: 'reconcile',
    grants: ['sqs:SendMessage queue UndeliveredDeadLetters'],
    why: 'Lambda itself puts down a call that failed three times, with the role of the function.',
  },
  {
    function: 'reconcile',
    grants: ['execute-api:ManageConnections connections POST'],
    why: 'Tells a connection that it ends after two hours, and of tasks that ran out of time; test/shared/realtime shows it.',
  },
  {
    function: 'reconcile',
    grants: ['scheduler:UpdateSchedule schedule'],
    why: 'Puts a schedule that is there already, because it did not fire; test/ports shows it.',
  },
  {
    function: 'reconcile',
    grants: ['s3:GetObject object', 's3:ListBucket bucket'],
    why: 'Versions of an upload are asked for when its file expires, or when its deletion is seen half-way; test/ports shows it.',
    sometimes: true,
  },
  {
    function: 'agents',
    grants: ['s3:ListBucket bucket'],
    why: 'Without it S3 answers 403 for the bytes of a reading that are gone, which is asked for again.',
  },
  {
    function: 'agents',
    grants: ['secretsmanager:GetSecretValue secret'],
    why: 'What the edge says counts only with its secret, and there is no edge here; test/functions/http shows it.',
  },
  {
    function: 'login',
    grants: ['secretsmanager:GetSecretValue secret'],
    why: 'What the edge says counts only with its secret, and there is no edge here; test/functions/http shows it.',
  },
  ...['run-task', 'send-webhook'].map(
    (name): Unused => ({
      function: name,
      grants: ['dynamodb:DeleteItem table'],
      why: 'Removes the deliveries that waited for a receiver once it answers again; test/shared/webhooks plays that.',
      sometimes: true,
    }),
  ),
];
