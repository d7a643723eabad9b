/** The CDK app: one stack for each stage, checked by cdk-nag with the exceptions listed here. */
import { App, type Stack, Validations } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS, DISABLE_CREATION_STACK_TRACES } from 'aws-cdk-lib/cx-api';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { ARRIVALS, READINGS } from '../shared/core/blobs.ts';
import { dayOfEnd, type Settings, settingsOf } from './settings.ts';
import { ErrandStack } from './stack.ts';

/** The CDK's own context names contain a colon, an at sign or a slash, except this one of its command line. */
const OF_THE_CDK = new Set(['cli-telemetry']);
const LOOKS_LIKE_OURS = /^[\w-]+$/;

/** An unknown setting is probably misspelt. */
function refuseUnknownSettings(names: readonly string[], knownNames: readonly string[]): void {
  const unknownName = names.find(
    (name) => LOOKS_LIKE_OURS.test(name) && !OF_THE_CDK.has(name) && !knownNames.includes(name),
  );
  if (unknownName === undefined) return;
  throw new RangeError(
    `There is no setting ${JSON.stringify(unknownName)}: there are ${knownNames.toSorted().join(', ')}.`,
  );
}

/** The inputs of the app: the CDK context with the stage's settings, and defaults. */
type AppInputs = {
  outdir?: string;
  context?: Record<string, string>;
  /** The last day of an ephemeral stage, if the context names none. */
  ends?: string | undefined;
  /** If absent, no day counts as past. */
  today?: string;
  /** The region that the stage is deployed to, if that is known. */
  region?: string | undefined;
};
/** `bundles`: the output folder of `npm run bundle`. */
type Options = AppInputs & { bundles: string };

export const errandApp = ({ bundles, ...stating }: Options): App => withStack(statedApp(stating), bundles);

export function withStack({ app, settings }: { app: App; settings: Settings }, bundles: string): App {
  acknowledge(new ErrandStack(app, `errand-${settings.stage}`, { settings, bundles }), settings);
  return app;
}

/** Validates the settings before anything is bundled for them. */
export function statedApp({ context, ends, today, region, ...places }: AppInputs): { app: App; settings: Settings } {
  const app = new App({
    ...places,
    // Stack traces would put paths of this machine into cdk.out.
    stackTraces: false,
    // Set here and not in cdk.json, so that every way to start gives the same template.
    context: { ...CURRENTLY_RECOMMENDED_FLAGS, [DISABLE_CREATION_STACK_TRACES]: true, ...context },
    analyticsReporting: false,
    treeMetadata: false,
  });
  const read = new Set<string>();
  const contextValue = (name: string): string | undefined => {
    read.add(name);
    return app.node.tryGetContext(name);
  };
  const domain = (of: string) => ({
    name: contextValue(`${of}-domain`),
    certificate: contextValue(`${of}-certificate`),
  });
  const settings = settingsOf(contextValue('stage') ?? 'dev', {
    origins: contextValue('origins'),
    models: contextValue('models'),
    seeing: contextValue('seeing-models'),
    modelTable: contextValue('model-table'),
    openaiAddress: contextValue('openai-address'),
    openaiKeySecret: contextValue('openai-key-secret'),
    searchUrl: contextValue('search-url'),
    sender: contextValue('sender'),
    alarmsEmail: contextValue('alarms-email'),
    retentionDays: contextValue('retention-days'),
    badCredentials: contextValue('unauthorized-calls'),
    maxFileMegabytes: contextValue('max-file-megabytes'),
    workerMegabytes: contextValue('worker-megabytes'),
    workerInstances: contextValue('worker-instances'),
    documentCpuSeconds: contextValue('document-cpu-seconds'),
    ocrPageCpuSeconds: contextValue('ocr-page-cpu-seconds'),
    webSocketLog: contextValue('websocket-log'),
    kmsKey: contextValue('kms-key'),
    region,
    reconcilerConcurrency: contextValue('reconciler-concurrency'),
    expires: dayOfEnd({ chosen: contextValue('expires'), ofCommit: ends, today }),
    domains: { files: domain('files'), agents: domain('agents'), sockets: domain('sockets') },
  });
  refuseUnknownSettings(Object.keys(app.node.getAllContext()), [...read]);
  return { app, settings };
}

/** Adds the checks of cdk-nag to the synthesis; a finding stops the deployment. */
export function checked(app: App): App {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  return app;
}

/** `of` limits the exception to single findings of a rule, `at` to a part of the stack, `when` to stages with certain settings. */
type Acknowledgement = {
  rule: string;
  of?: (settings: Settings) => string[];
  at?: string;
  when?: (settings: Settings) => boolean;
  why: string;
};

const CONNECTIONS = 'arn:<AWS::Partition>:execute-api:<AWS::Region>:<AWS::AccountId>:<SocketApiF12253BF>/live';
const SCHEDULE = 'arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule';
/** The function that the CDK adds to fill a bucket. */
const FILLING = 'Custom::CDKBucketDeployment8693BB64968944B69AAFB0CC9EB8756C';
const OBJECTS = '<BytesBucket7160C0ED.Arn>';
const UPLOADS = '<BytesUploads53C8667F.Arn>';

export const ACKNOWLEDGED: Acknowledgement[] = [
  {
    rule: 'AwsSolutions-APIG4',
    why: 'Our own code checks keys and tokens, the same on AWS and on one machine, and answers in the words of the API.',
  },
  { rule: 'AwsSolutions-CFR1', why: 'Callers are anywhere; credentials decide who may call.' },
  {
    rule: 'AwsSolutions-CFR2',
    why: 'The APIs are throttled, limited for each organization, and slow down guessing; a firewall is an option that costs.',
  },
  { rule: 'AwsSolutions-CFR3', why: 'Both APIs behind it keep access logs, without what may hold credentials.' },
  {
    rule: 'AwsSolutions-CFR4',
    why: 'Without a name of its own a distribution takes no other protocol setting; with one it is TLS 1.2 or newer.',
  },
  {
    rule: 'AwsSolutions-S1',
    why: 'Files are reachable only through URLs that our functions signed and logged; the console is public.',
  },
  {
    rule: 'AwsSolutions-SMG4',
    why: 'What was sealed by a secret must be opened by it: a new version is made by hand, as the runbook says.',
  },
  {
    rule: 'AwsSolutions-DDB3',
    why: 'An ephemeral stage goes with its data; any other has recovery to a point in time.',
  },
  {
    rule: 'AwsSolutions-IAM5',
    of: () => [
      ...['/*', '/files/*', '/results/*', `/${READINGS}*`].map((path) => `Resource::${OBJECTS}${path}`),
      `Resource::${UPLOADS}/${ARRIVALS}*`,
      'Resource::<ConsoleBucket86B6957C.Arn>/assets/*',
      'Resource::<ConsoleBucket86B6957C.Arn>/docs/*',
      ...['POST', 'GET', 'DELETE'].map((method) => `Resource::${CONNECTIONS}/${method}/@connections/*`),
    ],
    why: 'Objects and connections go by ids that are made while the stage runs; their folders and methods are named.',
  },
  {
    rule: 'AwsSolutions-IAM5',
    of: ({ models }) =>
      models.flatMap((model) => {
        const name = /^bedrock\/(?:(?:global|us|us-gov|eu|apac|jp|au|ca)\.)?(.+)$/.exec(model)?.[1];
        return name ? [`Resource::arn:<AWS::Partition>:bedrock:*::foundation-model/${name}`] : [];
      }),
    why: 'An inference profile runs this one model in whichever region has room.',
  },
  {
    rule: 'AwsSolutions-IAM5',
    at: 'ReconcileFunction',
    of: ({ stage }) => [`Resource::${SCHEDULE}/errand-${stage}/*`, 'Resource::*'],
    why: 'Schedules go by the ids of tasks, in a group of their own; what lists them knows no resource.',
  },
  {
    rule: 'Serverless-LambdaDLQ',
    why: 'Functions are called by callers, who hear of a failure, by queues with dead letters, or again in a minute.',
  },
  {
    rule: 'Serverless-LambdaAsyncFailureDestination',
    at: 'ReconcileFunction',
    why: 'Its dead letters keep an event as it came, so that it can be passed to the function again.',
  },
  {
    rule: 'Serverless-LambdaEventSourceMappingDestination',
    why: 'A queue has dead letters of its own; a destination is for streams.',
  },
  {
    rule: 'Serverless-LambdaTracing',
    why: "Calls are followed by the caller's traceparent, which is in every log line and goes on to webhooks.",
  },
  ...['AwsSolutions-L1', 'Serverless-LambdaLatestVersion'].map((rule) => ({
    rule,
    at: FILLING,
    why: 'It is part of the CDK, runs while a stack is deployed, and moves on with the CDK.',
  })),
  ...['AwsSolutions-APIG1', 'Serverless-APIGWAccessLogging'].map((rule) => ({
    rule,
    at: 'Socket',
    when: ({ hasWebSocketLog }: Settings) => !hasWebSocketLog,
    why: 'It needs a setting of the account and is an option; our own code logs each event of a connection.',
  })),
  {
    rule: 'AwsSolutions-IAM4',
    at: 'Socket',
    when: ({ hasWebSocketLog }) => hasWebSocketLog,
    of: () => ['Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs'],
    why: 'API Gateway documents this policy for its logs, which may go to any log group of the account.',
  },
  { rule: 'Serverless-SQSRedrivePolicy', why: 'Only dead letters have none: they are the end of the way.' },
];

/** Like `Validations.of(stack).acknowledge`, but without the source location, which contains a path of this machine. */
function acknowledge(stack: Stack, settings: Settings): void {
  for (const { rule, of, at, when, why } of ACKNOWLEDGED) {
    if (when && !when(settings)) continue;
    const { node } = at === undefined ? stack : stack.node.findChild(at);
    const ids = of ? of(settings).map((finding) => `${rule}[${finding}]`) : [rule];
    for (const id of ids) node.addMetadata(Validations.ACKNOWLEDGED_RULES_METADATA_KEY, { [id]: why });
  }
}
