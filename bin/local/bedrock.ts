/** Models of Amazon Bedrock on one machine: in the region of the environment, with its credentials or the key of a connection. */
import { MODEL_REQUEST } from '../../engines/models/call-limits.ts';
import type { BedrockModels } from '../../engines/models/connect.ts';
import { asFetch } from '../../engines/outbound/clients.ts';
import type { OutboundRequest } from '../../engines/outbound/request.ts';
import { operatorPolicy } from '../../engines/outbound/ssrf-policy.ts';
import type { bedrockConfig } from '../../shared/accounts/model-settings.ts';

/** Requests with a key are not signed. */
const UNUSED = { accessKeyId: '', secretAccessKey: '' };

export function bedrockHere(
  { awsRegion, awsCredentials }: ReturnType<typeof bedrockConfig>,
  request: OutboundRequest,
): BedrockModels {
  const fetchTo = (origin: string) =>
    asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...MODEL_REQUEST });
  return async (name, reached) => {
    if (awsRegion === undefined || (awsCredentials === undefined && reached.key === undefined)) return undefined;
    const { bedrockModels } = await import('../../adapters/aws/model.ts');
    const credentials = async () => awsCredentials ?? UNUSED;
    return bedrockModels({ region: async () => awsRegion, credentials, fetchTo })(name, reached);
  };
}
