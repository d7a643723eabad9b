/** AWS prices and assumed durations of calls: the assumptions of docs/operations/costs.md. */

export const AS_OF = { month: 'November 2026', region: 'us-east-1' };

/** In dollars for a million. */
export const PRICES = {
  'DynamoDB, on demand: a write unit': 0.625,
  'DynamoDB, on demand: a read unit': 0.125,
  'SQS, standard queue: a request': 0.4,
  'S3: a PUT, COPY, POST or LIST': 5,
  'S3: a GET or HEAD': 0.4,
  'API Gateway, HTTP API: a request': 1,
  'API Gateway, WebSocket API: a message': 1,
  'API Gateway, WebSocket API: a minute of a connection': 0.25,
  'EventBridge Scheduler: an invocation': 1,
  'Lambda, arm64: a request': 0.2,
  'Lambda, arm64: a GB-second': 13.3334,
  'CloudWatch Logs: a kilobyte taken in': 0.5,
  'KMS: a request': 3,
} as const;

/** The assumed duration of a call to AWS, as emulators cannot show it. */
export const MILLISECONDS = {
  'a call to DynamoDB': 5,
  'a call to SQS': 10,
  'a call to S3': 30,
  'a call to EventBridge Scheduler': 20,
  'a message to a WebSocket connection': 10,
  'a receiver of webhooks': 100,
} as const;

/** The memory at which Lambda gives a function a whole processor; smaller functions get a proportional share. */
export const MEGABYTES_OF_A_PROCESSOR = 1_769;

/** CloudWatch adds this many bytes to each line. */
export const BYTES_AROUND_A_LINE = 26;

/** Fixed costs in dollars a month. */
export const STANDING = {
  'Secrets Manager: a secret': 0.4,
  'CloudWatch: a metric of our own': 0.3,
  'CloudWatch: a metric of an alarm': 0.1,
  'CloudWatch: a dashboard': 3,
  'KMS: a key': 1,
} as const;
