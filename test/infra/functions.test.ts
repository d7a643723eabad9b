import { afterAll, describe, expect, it } from 'vitest';
import { settingsOf } from '../../infra/settings.ts';
import { MEGABYTES_OF_A_PROCESSOR } from '../evidence/costs/prices.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { ownFunctions, type Resource, resourcesOf, templateOf, templateWith } from './stack.ts';

const folder = temporaryFolder();
afterAll(() => folder.remove());
const template = templateOf(folder.path, 'dev');
const functions = Object.entries(ownFunctions(template));

type Environment = { Variables: Record<string, string> };
type Statement = { Effect: string; Action: string | string[]; Resource: unknown };
const inRole = (role: string) =>
  Object.values(resourcesOf(template, 'AWS::IAM::Policy'))
    .filter(({ Properties }) => JSON.stringify(Properties.Roles) === JSON.stringify([{ Ref: role }]))
    .flatMap(({ Properties }) => (Properties.PolicyDocument as { Statement: Statement[] }).Statement);
const roleOf = ({ Properties }: Resource): string => (Properties.Role as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0];
const actionsOf = (statements: Statement[]) => [...new Set(statements.flatMap(({ Action }) => Action))].sort();

const TABLE = ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map((a) => `dynamodb:${a}`);
const LOGS = ['logs:CreateLogStream', 'logs:PutLogEvents'];
const OBJECTS = ['AbortMultipartUpload', 'DeleteObject', 'GetObject', 'ListBucket', 'PutObject'].map((a) => `s3:${a}`);
const VERSIONS = ['DeleteObjectVersion', 'GetObjectVersion', 'ListBucketVersions'].map((a) => `s3:${a}`);
const WAITING = ['dynamodb:DeleteItem', 'dynamodb:Query'];
const DUE = ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query'].map((a) => `dynamodb:${a}`);
const TASKS = ['BatchGetItem', 'GetItem', 'PutItem'].map((a) => `dynamodb:${a}`);
const HINTS = ['sqs:SendMessage'];
/** The rights that Lambda needs to poll a queue for a function. */
const POLLED = ['DeleteMessage', 'GetQueueAttributes', 'ReceiveMessage'].map((action) => `sqs:${action}`);
/** Functions of queues may run longer than API Gateway waits. */
const WORKERS = ['RunTask', 'SendWebhook'];
const SECRET = 'secretsmanager:GetSecretValue';

const RESULTS = [
  ...['AbortMultipartUpload', 'DeleteObject', 'GetObject', 'GetObjectVersion', 'ListBucket', 'ListBucketVersions'],
  'PutObject',
].map((a) => `s3:${a}`);
const REMOVAL = ['DeleteObject', 'DeleteObjectVersion', 'GetObject', 'ListBucket', 'ListBucketVersions'].map(
  (a) => `s3:${a}`,
);

const SCHEDULES = [
  ...['CreateSchedule', 'DeleteSchedule', 'ListSchedules', 'UpdateSchedule'].map((action) => `scheduler:${action}`),
  'iam:PassRole',
];
const SOCKETS = 'execute-api:ManageConnections';

/** Environment variables that are not a reference to one resource. */
const PLACES: Record<string, RegExp> = {
  ERRAND_AGENTS_URL: /https:\/\/.*EdgeDistribution/,
  ERRAND_ORIGINS: /^\{"Fn::Join":\["",\["https:\/\/",.*EdgeDistribution/,
  ERRAND_SERVICE_URLS: /FilesAndTasks.*EdgeDistribution.*FilesAndTasks.*Agents/,
  ERRAND_SOCKETS: /https:\/\/.*execute-api/,
  ERRAND_SCHEDULES_ROLE: /^\{"Fn::GetAtt":\["SchedulesRole\w+","Arn"\]\}$/,
  ERRAND_SCHEDULED_LANES: /HighLane.*NormalLane.*LowLane/,
};

const ALLOWED: Record<string, string[]> = {
  FilesAndTasks: [...TABLE, ...LOGS, ...OBJECTS, ...VERSIONS, ...HINTS, SECRET],
  Agents: [...TABLE, ...LOGS, ...HINTS, 's3:GetObject', 's3:ListBucket', SECRET, SOCKETS],
  Login: ['dynamodb:GetItem', 'dynamodb:PutItem', ...LOGS, SECRET],
  Reconcile: [...DUE, ...LOGS, ...REMOVAL, ...HINTS, SOCKETS, ...SCHEDULES],
  RunTask: [
    ...TASKS,
    ...WAITING,
    'dynamodb:UpdateItem',
    ...LOGS,
    ...RESULTS,
    'bedrock:InvokeModelWithResponseStream',
    ...HINTS,
    ...POLLED,
    SECRET,
    SOCKETS,
  ],
  SendWebhook: ['s3:GetObject', ...TASKS, ...WAITING, ...LOGS, ...HINTS, ...POLLED, SECRET, SOCKETS],
  Socket: [...TASKS, 'dynamodb:DeleteItem', 'dynamodb:Query', ...LOGS, ...HINTS, ...POLLED, SECRET, SOCKETS],
};
const nameOf = (id: string): string => id.replace(/Function.*/, '');

it('passes the CPU limit of a document to the worker only', () => {
  const given = { cpuSeconds: { document: 20, ocrPage: 8 } };
  const all = Object.entries(ownFunctions(templateWith(folder.path, given)));
  const told = all.map(([id, { Properties }]) => [id, (Properties.Environment as Environment).Variables] as const);
  for (const [id, variables] of told) {
    const expected = id.startsWith('RunTask') ? ['20', '8'] : [undefined, undefined];
    expect([variables.ERRAND_DOCUMENT_CPU_SECONDS, variables.ERRAND_OCR_PAGE_CPU_SECONDS], id).toEqual(expected);
  }
});

it("passes the operator's SearXNG to the worker only", () => {
  const searchUrl = 'http://search.acme.internal:8080/';
  for (const [id, { Properties }] of Object.entries(
    ownFunctions(templateWith(folder.path, settingsOf('dev', { searchUrl }))),
  )) {
    const { ERRAND_SEARCH_URL } = (Properties.Environment as Environment).Variables;
    expect(ERRAND_SEARCH_URL, id).toBe(id.startsWith('RunTask') ? searchUrl : undefined);
  }
});

it('has exactly the expected functions', () => {
  expect(functions.map(([id]) => nameOf(id))).toEqual(Object.keys(ALLOWED));
});

it('lets the agent API read what is kept of results, and no file and no reading of one', () => {
  const [, agents] = functions.find(([id]) => nameOf(id) === 'Agents') ?? [];
  const reads =
    agents && inRole(roleOf(agents)).filter(({ Action }) => JSON.stringify(Action).includes('s3:GetObject'));
  const objects = [...JSON.stringify(reads?.map(({ Resource }) => Resource)).matchAll(/"(\/[^"]*)"/g)].map(
    ([, path]) => path,
  );
  expect(objects).toEqual(['/results/*']);
});

describe.each(functions)('%s', (id, resource) => {
  const properties = resource.Properties;

  it('runs on Node 24 and arm64, in no VPC and without reserved concurrency', () => {
    expect(properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
    for (const name of ['VpcConfig', 'ReservedConcurrentExecutions', 'Layers', 'FunctionName']) {
      expect(properties).not.toHaveProperty(name);
    }
  });

  it("has a timeout below those of API Gateway and of its schedule, or Lambda's maximum", () => {
    const most = nameOf(id) === 'Reconcile' ? 60 : WORKERS.includes(nameOf(id)) ? 901 : 30;
    expect(properties.Timeout).toBeLessThan(most);
  });

  it('has its own role, with named actions on named resources', () => {
    const role = roleOf(resource);
    expect(functions.filter(([, other]) => roleOf(other) === role)).toHaveLength(1);
    expect(resourcesOf(template, 'AWS::IAM::Role')[role]?.Properties).not.toHaveProperty('ManagedPolicyArns');
    const statements = inRole(role);
    expect(actionsOf(statements)).toEqual(ALLOWED[nameOf(id)]?.sort());
    expect(statements.every(({ Effect }) => Effect === 'Allow')).toBe(true);
    // AWS accepts only `*` as the resource of this action.
    for (const { Resource } of statements.filter(({ Action }) => Action !== 'scheduler:ListSchedules'))
      expect(JSON.stringify(Resource)).toMatch(
        /Fn::GetAtt|"Ref":"(MasterSecret|EdgeOriginSecret|SocketApi)|bedrock:|:schedule\/errand-dev\/\*"/,
      );
  });

  it('receives the names of resources, and never a secret', () => {
    const { Variables } = properties.Environment as { Variables: Record<string, unknown> };
    for (const [name, value] of Object.entries(Variables)) {
      if (typeof value !== 'string') expect(JSON.stringify(value), name).toMatch(PLACES[name] ?? /^\{"Ref":"\w+"\}$/);
      // The stack names its group.
      else if (name !== 'ERRAND_SCHEDULES')
        expect(value, name).not.toMatch(/secret|passw|token|key|credential|\{\{resolve:|\w{20}/i);
    }
  });
});

it('lets every log expire, also that of the function that empties the bucket', () => {
  const groups = resourcesOf(template, 'AWS::Logs::LogGroup');
  for (const [id, { Properties }] of Object.entries(groups)) expect(Properties.RetentionInDays, id).toBe(7);
  for (const { Properties } of Object.values(resourcesOf(template, 'AWS::Lambda::Function'))) {
    const { LogGroup } = Properties.LoggingConfig as { LogGroup: { Ref: string } };
    expect(Object.keys(groups)).toContain(LogGroup.Ref);
  }
});

it('keeps instances for the reconciler alone on request, and for no function that a queue calls', () => {
  const reserved = ownFunctions(templateWith(folder.path, { reconcilerConcurrency: 2 }));
  const kept = Object.entries(reserved).filter(([, { Properties }]) => 'ReservedConcurrentExecutions' in Properties);
  expect(kept.map(([id, { Properties }]) => [nameOf(id), Properties.ReservedConcurrentExecutions])).toEqual([
    ['Reconcile', 2],
  ]);
});

it('calls the reconciler once a minute', () => {
  const schedules = Object.values(resourcesOf(template, 'AWS::Scheduler::Schedule'));
  expect(schedules.map(({ Properties }) => Properties)).toEqual([
    expect.objectContaining({ ScheduleExpression: 'rate(1 minute)', State: 'ENABLED' }),
  ]);
  expect(JSON.stringify(schedules)).toContain(functions.find(([id]) => nameOf(id) === 'Reconcile')?.[0]);
});

it('repeats a failed round once at most, and no call that has waited for an hour', () => {
  const configs = Object.values(resourcesOf(template, 'AWS::Lambda::EventInvokeConfig'));
  expect(configs.map(({ Properties }) => Properties)).toEqual([
    {
      FunctionName: { Ref: functions.find(([id]) => nameOf(id) === 'Reconcile')?.[0] },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 1,
      MaximumEventAgeInSeconds: 3_600,
    },
  ]);
});

it('gives the reconciler a whole CPU', () => {
  const [, reconciler] = functions.find(([id]) => nameOf(id) === 'Reconcile') ?? [];
  expect(reconciler?.Properties.MemorySize).toBe(MEGABYTES_OF_A_PROCESSOR);
});
