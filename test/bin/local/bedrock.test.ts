import { expect, it } from 'vitest';
import { bedrockHere } from '../../../bin/local/bedrock.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { bedrockConfig } from '../../../shared/accounts/model-settings.ts';
import { BEDROCK, says } from '../../engines/models/scripted-provider.ts';
import { stubServer } from '../../engines/models/stub-server.ts';

const REGION = { AWS_REGION: 'eu-central-1' };
const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

/** The headers of a request to a model, or undefined if there is no such model here. */
async function headersWith(env: Record<string, string>, key?: string) {
  const server = await stubServer(BEDROCK.stream(...says('Yes.')));
  const find = bedrockHere(bedrockConfig(env), outbound());
  const model = await find('amazon.nova-lite-v1:0', { url: server.address, ...(key === undefined ? {} : { key }) });
  await model?.doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] });
  await server.close();
  return server.asked[0]?.headers;
}

it('signs requests with the credentials of the environment, in its region', async () => {
  const headers = await headersWith({ ...REGION, ...CREDENTIALS, AWS_SESSION_TOKEN: 'token' });
  expect(headers?.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-central-1\/bedrock\//);
  expect(headers?.['x-amz-security-token']).toBe('token');
});

it('sends the API key of a connection instead, which needs no credentials', async () => {
  for (const env of [REGION, { ...REGION, ...CREDENTIALS }]) {
    expect((await headersWith(env, 'key'))?.authorization).toBe('Bearer key');
  }
});

it.each([{}, CREDENTIALS, REGION, { ...REGION, AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE' }])(
  'has no models without a region and credentials: %o',
  async (env) => {
    expect(await headersWith(env)).toBeUndefined();
  },
);
