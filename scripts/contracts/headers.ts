/** The headers of requests, answers and webhooks, for both documents. */

const text = (pattern?: string) => ({ type: 'string', ...(pattern ? { pattern } : {}) });

export const headers = {
  'X-Request-Id': {
    description: 'Identifies this answer; quote it to the operator when you report a problem.',
    required: true,
    schema: text(),
  },
  RateLimit: {
    description: 'The calls left in each window, and the seconds until it ends.',
    schema: text(),
    example: '"minute";r=7;t=31, "hour";r=97;t=2211',
  },
  'RateLimit-Policy': {
    description: 'The calls that each window allows, and its length in seconds.',
    schema: text(),
    example: '"minute";q=10;w=60, "hour";q=100;w=3600',
  },
  'Retry-After': {
    description: 'In how many seconds to send the call again.',
    schema: { type: 'integer', minimum: 0 },
  },
  'WWW-Authenticate': {
    description: 'How to send a credential. A gateway in front of the service may rename this header.',
    schema: { type: 'string', enum: ['Bearer'] },
  },
  'Idempotent-Replayed': {
    description: 'Always `true`: this is the stored first answer to the `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true'] },
  },
  'X-Errand-Warnings': {
    description:
      'Warnings about parts of the request that had no effect, such as unknown fields: a JSON array of strings in ASCII.',
    schema: text('^\\[".*"\\]$'),
    example: '["input.output_formt is not a known field and was ignored. Did you mean input.output_format?"]',
  },
};

const inHeader = (name: string, description: string, schema: object, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema,
});

const HEX_SIGNATURE = '^sha256=[0-9a-f]{64}$';

export const parameters = {
  'Idempotency-Key': inHeader(
    'Idempotency-Key',
    'A repeat with the same key and body returns the first answer and does nothing twice. Keys are kept for 24 hours.',
    { type: 'string', minLength: 1, maxLength: 255 },
  ),
  'X-Request-Id': inHeader(
    'X-Request-Id',
    'An id of your own for the call, which the answer and the logs repeat.',
    text('^[\\w.:/+=-]{1,128}$'),
  ),
  'Webhook-Id': inHeader(
    'webhook-id',
    'The id of the event, the same on every attempt; deduplicate by it.',
    text(),
    true,
  ),
  'Webhook-Timestamp': inHeader(
    'webhook-timestamp',
    'When this attempt was made, in seconds since 1970; reject old ones.',
    text('^\\d+$'),
    true,
  ),
  'Webhook-Signature': inHeader(
    'webhook-signature',
    'Standard Webhooks: one or more of `v1,<base64>`, separated by spaces.',
    text('^v1,\\S+( v1,\\S+)*$'),
    true,
  ),
  'X-Service-Signature': inHeader(
    'x-service-signature',
    '`sha256=` and the hexadecimal HMAC-SHA256 of the raw body under the secret.',
    text(HEX_SIGNATURE),
    true,
  ),
  'X-Service-Signature-Next': inHeader(
    'x-service-signature-next',
    'The same with the new secret, while two secrets are valid after a rotation.',
    text(HEX_SIGNATURE),
  ),
};
