/** The worker with everything that a first task on Bedrock loads: the provider, and the model library by the loop of chats. */
import '@ai-sdk/amazon-bedrock';
import '../../../../agents/chat/model-loop.ts';
import { handler as worker } from '../../../../functions/run-task.lambda.ts';

export const handler = worker;
