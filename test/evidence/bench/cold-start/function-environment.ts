/** The environment of a function in the cold-start benchmark: each setting has a value that the product accepts. */
import { environment } from '../../../../shared/core/environment.ts';

/** Names, ids and URLs, which most settings are, are one URL of the simulated AWS. */
export const functionEnvironment = (address: string): Record<string, string> => ({
  ...Object.fromEntries(Object.values(environment).map((name) => [name, `${address}/1/name`])),
  [environment.port]: '4000',
  [environment.logLevel]: 'error',
  [environment.badCredentials]: '300',
  [environment.metrics]: 'Errand/bench',
  [environment.origins]: '',
  [environment.modelTable]: '{}',
  [environment.sender]: 'a@host.org',
  [environment.retentionDays]: '30',
  [environment.maxFileBytes]: '1000',
  [environment.documentMegabytes]: '64',
  [environment.documentCpuSeconds]: '10',
  [environment.ocrPageCpuSeconds]: '10',
  [environment.workers]: '2',
  [environment.scheduledLanes]: 'high,normal,low',
  AWS_REGION: 'eu-central-1',
  AWS_ENDPOINT_URL: address,
  AWS_ACCESS_KEY_ID: 'a',
  AWS_SECRET_ACCESS_KEY: 'b',
});
