/** The headers of requests, answers and webhooks, as both documents tell them. */

const text = (pattern?: string) => ({ type: 'string', ...(pattern ? { pattern } : {}) });

export const headers = {
  'X-Request-Id': { description: 'Quote it when you ask about this answer.', required: true, schema: text() },
  RateLimit: {
    description: 'What is left in each window, and in how many seconds it ends.',
    schema: text(),
    example: '"minute";r=7;t=31, "hour";r=97;t=2211',
  },
  'RateLimit-Policy': {
    description: 'How much each window holds, and its seconds.',
    schema: text(),
    example: '"minute";q=10;w=60, "hour";q=100;w=3600',
  },
  'Retry-After': { description: 'In how many seconds to come back.', schema: { type: 'integer', minimum: 0 } },
  'WWW-Authenticate': {
    description: 'How to show a credential. A gateway before the service may rename it.',
    schema: { type: 'string', enum: ['Bearer'] },
  },
  'Idempotent-Replayed': {
    description: 'The first answer to this Idempotency-Key, given again.',
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
    'The same key with the same body gives the first answer again and does nothing twice. Kept for 24 hours.',
    { type: 'string', minLength: 1, maxLength: 255 },
  ),
  'X-Request-Id': inHeader('X-Request-Id', 'Kept for the answer if it is sane.', text('^[\\w.:/+=-]{1,128}$')),
  'Webhook-Id': inHeader('webhook-id', 'The id of the event, the same on every attempt.', text(), true),
  'Webhook-Timestamp': inHeader(
    'webhook-timestamp',
    'When this attempt was made, in seconds since 1970.',
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
    'The same with the new secret, while two hold.',
    text(HEX_SIGNATURE),
  ),
};
