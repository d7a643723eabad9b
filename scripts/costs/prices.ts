/** What AWS asks for each thing, and how long a call is taken to last: the assumptions of docs/costs.md. */

export const AS_OF = { month: 'November 2026', region: 'us-east-1' };

/** In dollars for a million of each. */
export const PRICES = {
  'DynamoDB, on demand: a write unit': 0.625,
  'DynamoDB, on demand: a read unit': 0.125,
  'SQS, standard queue: a request': 0.4,
  'S3: a PUT, COPY or POST': 5,
  'S3: a GET or HEAD': 0.4,
  'API Gateway, HTTP API: a request': 1,
  'EventBridge Scheduler: an invocation': 1,
  'Lambda, arm64: a request': 0.2,
  'Lambda, arm64: a GB-second': 13.3334,
} as const;

/** Nobody can measure on emulators how long a function waits for AWS, so its time is what its calls would take in turn. */
export const MILLISECONDS = {
  'a call to DynamoDB': 5,
  'a call to SQS': 10,
  'a call to S3': 30,
  'a call to EventBridge Scheduler': 20,
  'the work of the function itself': 5,
} as const;
