/** What a stage needs of an account that a new account may lack. docs/operations/deploy.md and `errand doctor --before` show this list. */

export type AccountNeed = {
  name: string;
  /** What a new account lacks, and what a deployment meets then. */
  without: string;
  remedy: string;
  /** Whether `errand doctor --before` checks it; otherwise only a person can. */
  isChecked: boolean;
};

/** The CDK's stack of roles and of the bucket for assets. */
export const BOOTSTRAP = { stackName: 'CDKToolkit', versionOutput: 'BootstrapVersion', minVersion: 6 } as const;

/** What the queues may start at once with the default settings is 62; the rest is for calls of the APIs. */
export const MIN_CONCURRENCY = 100;

export const ACCOUNT_NEEDS = [
  {
    name: 'bootstrap',
    without: 'the deployment stops before it begins: there are no roles to deploy with',
    remedy: 'npx cdk bootstrap',
    isChecked: true,
  },
  {
    name: 'concurrency',
    without: 'a new account runs 10 functions at once: the stage deploys, then answers 503 under any load',
    remedy:
      'aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000',
    isChecked: true,
  },
  {
    name: 'model',
    without: 'the default model is refused until its provider has your use case, and where its region is not allowed',
    remedy:
      'fill in the use-case form of Anthropic in the Bedrock console once for the account, or deploy with other `models`',
    isChecked: true,
  },
  {
    name: 'mail',
    without: 'SES starts in a sandbox: mails reach verified addresses only',
    remedy: 'verify the identity of `sender` and ask SES for production access, if the stage is to send e-mails',
    isChecked: true,
  },
  {
    name: 'distribution',
    without: 'CloudFront may refuse the first distribution of a new account, and the deployment rolls back',
    remedy: 'ask AWS support to verify the account, then deploy again',
    isChecked: false,
  },
  {
    name: 'CloudFront quotas',
    without: 'a stage takes 4 of 100 functions of an account, and `production` 2 of 20 response headers policies',
    remedy: 'request higher quotas before the 25th stage',
    isChecked: false,
  },
  {
    name: 'region',
    without: 'the region needs Lambda with Node.js 24 on arm64, HTTP and WebSocket APIs, and EventBridge Scheduler',
    remedy:
      'choose another `AWS_REGION`; a policy that limits regions must allow those of a `global.` model, or take a regional one in `models`',
    isChecked: false,
  },
  {
    name: 'certificates',
    without: 'own domains need certificates: of CloudFront in `us-east-1`, of the gateways in the region of the stage',
    remedy: 'request them in ACM before the deployment, if the stage is to have own domains',
    isChecked: false,
  },
] as const satisfies readonly AccountNeed[];

export type CheckedNeed = Extract<(typeof ACCOUNT_NEEDS)[number], { isChecked: true }>['name'];
