/** A stage with every setting at once. */
const certificate = (region: string) => `arn:aws:acm:${region}:123456789012:certificate/0a1b2c3d`;

export const EVERY_SETTING = {
  expires: '2026-12-31',
  origins: 'https://pages.acme.org',
  'retention-days': '7',
  'unauthorized-calls': '1000',
  'max-file-megabytes': '10',
  'worker-megabytes': '1024',
  'worker-instances': '100',
  'document-cpu-seconds': '20',
  'ocr-page-cpu-seconds': '8',
  models: 'bedrock/eu.amazon.nova-lite-v1:0,bedrock/amazon.titan-text-express-v1,openai/ours,offline/extractive',
  'seeing-models': 'openai/ours',
  'model-table': '{"openai/ours":{"context":64000}}',
  'openai-address': 'https://models.acme.org/v1',
  'openai-key-secret': 'models/key',
  'search-url': 'http://search.acme.internal:8080/',
  sender: 'notifications@acme.org',
  'websocket-log': 'on',
  'alarms-email': 'ops@acme.org',
  'files-domain': 'files.acme.org',
  'files-certificate': certificate('eu-central-1'),
  'agents-domain': 'agents.acme.org',
  'agents-certificate': certificate('us-east-1'),
  'sockets-domain': 'sockets.acme.org',
  'sockets-certificate': certificate('eu-central-1'),
};
