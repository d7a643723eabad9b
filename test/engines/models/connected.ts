/** Finds models through a connection, as the workers do, with credentials for Bedrock. */
import { bedrockModels } from '../../../adapters/aws/model.ts';
import { MODEL_REQUEST } from '../../../engines/models/call-limits.ts';
import { type FindModel, modelFinder } from '../../../engines/models/connect.ts';
import { asFetch } from '../../../engines/outbound/clients.ts';
import { outbound } from '../../../engines/outbound/request.ts';
import { operatorPolicy } from '../../../engines/outbound/ssrf-policy.ts';
import type { ModelConnection } from '../../../shared/accounts/model-connections.ts';

const request = outbound();
const bedrock = bedrockModels({
  region: async () => 'eu-central-1',
  credentials: async () => ({ accessKeyId: 'id', secretAccessKey: 'sk-inner' }),
  fetchTo: (origin) => asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...MODEL_REQUEST }),
});

export const throughConnection = (connection: ModelConnection): FindModel =>
  modelFinder(async () => connection, {
    request,
    loadProviders: () => import('../../../engines/models/providers.ts'),
    bedrock,
  });
