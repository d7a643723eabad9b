/** Models of Amazon Bedrock, by the name of a model or of an inference profile. A worker loads this with its first model. */
import type { LanguageModelV4 } from '@ai-sdk/provider';
import { type EndpointVariant, regionHost } from './client/account.ts';

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
type Fetch = (input: string | URL | globalThis.Request, init?: RequestInit) => Promise<Response>;

export type BedrockOptions = {
  region(): Promise<string>;
  credentials(): Promise<Credentials>;
  /** Selects the region's endpoint: FIPS, dual-stack, or neither. */
  variant?(): EndpointVariant;
  /** Returns the fetch function for Bedrock's endpoint in the region. */
  fetchTo(origin: string): Fetch;
};

/** An endpoint in place of the region's own, and an API key of Bedrock in place of the credentials. */
type Reached = { url?: string; key?: string };

export function bedrockModels({ region, credentials, variant, fetchTo }: BedrockOptions) {
  return async (name: string, { url, key }: Reached = {}): Promise<LanguageModelV4> => {
    const here = await region();
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const baseURL = url ?? `https://${regionHost('bedrock-runtime', here, variant?.())}`;
    const fetch = fetchTo(new URL(baseURL).origin);
    // Without a key, the empty one keeps the library from looking for one in the environment.
    const apiKey = key ?? '';
    return createAmazonBedrock({ region: here, credentialProvider: credentials, fetch, baseURL, apiKey })(name);
  };
}
