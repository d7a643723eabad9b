/**
 * A webhook receiver for trying the product: it accepts any POST, keeps the newest in memory and verifies the signature.
 * A webhook is shown to the organization whose secret signed it; unsigned ones are shown to all.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caught } from '../../../console/machine/told.ts';
import { listOrganizations } from '../../../shared/accounts/organizations.ts';
import { currentSecrets } from '../../../shared/accounts/webhook-secrets.ts';
import { verifyWebhook } from '../../../shared/webhooks/signing.ts';
import type { ConsoleLocal } from './serve-console.ts';

const MOST_KEPT = 100;
const MOST_BYTES = 10_485_760;
const MOST_SHOWN_BYTES = 65_536;
const MOST_HEADERS = 40;
const MOST_HEADER_CHARACTERS = 1_000;

type Kept = Caught & { owner: string | undefined };

export function catcher({ table, clock, vault }: ConsoleLocal['local']) {
  const kept: Kept[] = [];
  let seq = 0;

  async function verified(received: Parameters<typeof verifyWebhook>[1]): Promise<Pick<Kept, 'owner' | 'signatures'>> {
    const organizations = await listOrganizations(table);
    const found = await Promise.all(
      organizations.map(async ({ id }) => {
        const secrets = await currentSecrets({ table, clock, vault }, id);
        const texts = secrets.map(({ secret }) => secret);
        return { owner: id, signatures: verifyWebhook(texts, received) };
      }),
    );
    return found.find(({ signatures }) => signatures.length > 0) ?? { owner: undefined, signatures: [] };
  }

  async function keep({ headers, url = '' }: IncomingMessage, body: Buffer, answered: number): Promise<void> {
    const now = clock.now();
    const { owner, signatures } = await verified({ headers, body: body.toString(), now });
    kept.unshift({
      owner,
      seq: ++seq,
      at: new Date(now).toISOString(),
      path: url.slice(0, MOST_HEADER_CHARACTERS),
      signatures,
      headers: shown(headers),
      body: body.subarray(0, MOST_SHOWN_BYTES).toString(),
      bytes: body.byteLength,
      isCut: body.byteLength > MOST_SHOWN_BYTES,
      answered,
    });
    kept.length = Math.min(kept.length, MOST_KEPT);
  }

  return {
    /** Newest first: those of the organization, and those that belong to none. */
    arrivals: (organization: string | undefined): Caught[] =>
      kept.flatMap(({ owner, ...caught }) => (owner === undefined || owner === organization ? [caught] : [])),
    async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
      if (request.method !== 'POST') return say(response, 405, 'The catcher takes POST.', { allow: 'POST' });
      const body = await bodyOf(request);
      if (body === undefined) return say(response, 413, 'Too much.', { connection: 'close' });
      const status = wished(request.url);
      await keep(request, body, status);
      say(response, status, status < 400 ? 'Caught.' : 'Refused, as the address asks.');
    },
  };
}

function say(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'x-content-type-options': 'nosniff', ...headers });
  response.end(status === 204 || status === 304 ? undefined : text);
}

/** `?answer=503` tries out what becomes of a webhook that is not taken. */
function wished(url = ''): number {
  const asked = new URLSearchParams(url.split('?')[1]).get('answer') ?? '';
  return /^[2-5]\d\d$/.test(asked) ? Number(asked) : 200;
}

const shown = (headers: IncomingMessage['headers']): Caught['headers'] =>
  Object.entries(headers)
    .slice(0, MOST_HEADERS)
    .map(([name, value]) => [name, String(value).slice(0, MOST_HEADER_CHARACTERS)]);

async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
