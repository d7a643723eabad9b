/** Sends the webhook a hint names: what both the function and the local sender do with a message of their queue. */
import { addressOfHint } from '../tasks/hints.ts';
import { type SenderPorts, sendWebhook } from './send-webhook.ts';

export async function sendHint(ports: SenderPorts, body: string, mustGo: AbortSignal): Promise<void> {
  const address = addressOfHint(body);
  if (!address) return ports.log.error('a message of the webhooks is no hint', { body });
  try {
    await sendWebhook(ports, address, mustGo);
  } catch (error) {
    if (!mustGo.aborted) ports.log.error('a webhook could not be sent', { ...address, error });
    throw error;
  }
}
