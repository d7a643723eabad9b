/** Models of Amazon Bedrock, by the name of a model or of an inference profile. */
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
  /** Overrides Bedrock's own endpoint. */
  address?: string;
};

export function bedrockModels({ region, credentials, variant, fetchTo, address }: BedrockOptions) {
  return async (name: string): Promise<LanguageModelV4> => {
    const here = await region();
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
    const baseURL = address ?? `https://${regionHost('bedrock-runtime', here, variant?.())}`;
    const fetch = fetchTo(new URL(baseURL).origin);
    return createAmazonBedrock({ region: here, credentialProvider: credentials, fetch, baseURL })(name);
  };
}
