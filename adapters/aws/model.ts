/** Models of Amazon Bedrock, by the name of a model or of an inference profile. A worker loads this with its first model. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { partition } from '@aws-sdk/core/client';
import type { AwsConnection } from './connection.ts';

type Fetch = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

type EndpointVariant = Partial<Pick<AwsConnection, 'useFipsEndpoint' | 'useDualstackEndpoint'>>;

export type BedrockOptions = Pick<AwsConnection, 'region' | 'credentials'> &
  EndpointVariant & {
    /** Returns the fetch function for Bedrock's endpoint in the region. */
    fetchTo(origin: string): Fetch;
  };

/** An endpoint in place of the region's own, and an API key of Bedrock in place of the credentials. */
type Reached = { url?: string; key?: string };

export function bedrockModels({ region, credentials, fetchTo, ...variant }: BedrockOptions) {
  return async (name: string, { url, key }: Reached = {}): Promise<LanguageModelV4> => {
    const here = typeof region === 'string' ? region : await region();
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const baseURL = url ?? `https://${bedrockHost(here, variant)}`;
    const fetch = fetchTo(new URL(baseURL).origin);
    // Without a key, the empty one keeps the library from looking for one in the environment.
    const apiKey = key ?? '';
    return createAmazonBedrock({ region: here, credentialProvider: credentials, fetch, baseURL, apiKey })(name);
  };
}

function bedrockHost(region: string, { useFipsEndpoint, useDualstackEndpoint }: EndpointVariant): string {
  const { dnsSuffix, dualStackDnsSuffix } = partition(region);
  const service = useFipsEndpoint ? 'bedrock-runtime-fips' : 'bedrock-runtime';
  return `${service}.${region}.${useDualstackEndpoint ? dualStackDnsSuffix : dnsSuffix}`;
}
