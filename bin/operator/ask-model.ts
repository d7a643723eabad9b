/** Asks a model of Bedrock for a word with the operator's credentials: whether the account may use it here. */
import { bedrockModels } from '../../aws/model.ts';
import { operatorAccount } from '../../aws/operator.ts';
import { MODEL_REQUEST } from '../../engines/model/model-request.ts';
import { asFetch } from '../../engines/outbound/as-fetch.ts';
import { outbound } from '../../engines/outbound/outbound.ts';
import { operatorPolicy } from '../../engines/outbound/policy.ts';

const MOST_TOKENS = 1;

export async function askModel(model: string): Promise<void> {
  const request = outbound();
  const named = bedrockModels({
    ...operatorAccount(process.env),
    fetchTo: (origin) => asFetch({ request, policy: operatorPolicy({ origins: [origin] }), ...MODEL_REQUEST }),
  });
  const found = await named(model.replace(/^bedrock\//, ''));
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Say yes.' }] }];
  await found.doGenerate({ prompt, maxOutputTokens: MOST_TOKENS });
}
