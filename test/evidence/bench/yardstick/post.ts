/** Webhooks of the reference systems: signed in the product's two schemes, and posted over keep-alive connections. */
import { createHmac, createSecretKey } from 'node:crypto';
import { Agent, request } from 'node:http';

export type Delivery = { id: string; endpoint: string; body: string };

const PREFIX = 'whsec_';
/** Shared by all organizations. */
export const SECRET = `${PREFIX}${Buffer.from('what thirty-two bytes may be for').toString('base64')}`;
const OWN = createSecretKey(SECRET, 'utf8');
const STANDARD = createSecretKey(SECRET.slice(PREFIX.length), 'base64');

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

export async function post({ id, endpoint, body }: Delivery): Promise<void> {
  const seconds = String(Math.floor(Date.now() / 1_000));
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': `v1,${createHmac('sha256', STANDARD).update(`${id}.${seconds}.${body}`).digest('base64')}`,
    'x-service-signature': `sha256=${createHmac('sha256', OWN).update(body).digest('hex')}`,
  };
  const status = await new Promise<number>((resolve, reject) => {
    const asked = request(endpoint, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    asked.once('error', reject).end(body);
  });
  if (status < 200 || status > 299) throw new Error(`The receiver answered with ${status}.`);
}
