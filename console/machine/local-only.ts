/** Data of a local installation: its mails, received webhooks and models. */
import { ErrandError } from '../../client/src/index.ts';
import { session } from '../session.ts';
import type { Caught, LocalModel, ReceivedMail } from './local-answers.ts';

export const caughtWebhooks = async (signal: AbortSignal): Promise<Caught[]> =>
  (await fetchLocal<{ webhooks: Caught[] }>('webhooks', signal)).webhooks;

export const sentMails = async (signal: AbortSignal): Promise<ReceivedMail[]> =>
  (await fetchLocal<{ mails: ReceivedMail[] }>('mails', signal)).mails;

export const factsOfModels = async (signal: AbortSignal): Promise<LocalModel[]> =>
  (await fetchLocal<{ models: LocalModel[] }>('models', signal)).models;

async function fetchLocal<T>(name: string, signal: AbortSignal): Promise<T> {
  // biome-ignore lint/style/noRestrictedGlobals: the client has no methods for these endpoints
  const response = await fetch(`console/${name}`, {
    signal,
    headers: { authorization: `Bearer ${session.get()?.token}` },
  }).catch((cause) => {
    throw new ErrandError('NETWORK', 'The product on this machine does not respond.', { cause });
  });
  if (!response.ok) throw new ErrandError('NOT_ERRAND', `This machine responded with ${response.status}.`);
  return (await response.json()) as T;
}
