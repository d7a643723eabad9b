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
    grants: ['dynamodb:Query table'],
    why: 'The table reads the rows of a partition with it; no route does so before there are tasks.',
  },
  {
    function: 'files-and-tasks',
    grants: ['s3:AbortMultipartUpload object'],
    why: 'Gives up the parts of a long import whose source broke off.',
  },
  {
    function: 'reconcile',
    grants: ['dynamodb:GetItem table', 'dynamodb:PutItem table', 'dynamodb:DeleteItem table', 's3:DeleteObject object'],
    why: 'Nothing falls due sooner than a day after an upload was asked for.',
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
