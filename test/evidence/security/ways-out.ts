/** All features of the product that send requests to a caller's URL. */
import { putSource } from '../../../shared/sources/stored-sources.ts';
import type { Attacked, FaceName, Reply } from './attack-target.ts';
import { until } from './part.ts';
import type { Tenant } from './tenants.ts';

/** `taken`: a server answered at the URL, and the product used its response. */
type End = 'taken' | 'refused';
export type Way = {
  name: string;
  /** Whether redirects are followed. */
  follows: boolean;
  /** Whether receivers on this machine are allowed, as in the local product only. */
  takesLoopback?: true;
  go(address: string): Promise<End>;
  /** Repeats the request, if that differs from calling `go` again. */
  again?(): Promise<End>;
};

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const PROBE = 'probe';
const INPUT = { type: 'chat', prompt: 'What is attached?' };
const endOf = (is: boolean): End => (is ? 'taken' : 'refused');
type Delivery = { attempts: { status: number | null }[] } & Record<'deliveryId' | 'delivery_id', string>;

export async function waysOut(on: Attacked, tenant: Tenant): Promise<Way[]> {
  const { local } = on;
  // Created first, so that its name is valid from the first task on.
  const entries = [{ title: PROBE, text: PROBE }];
  await putSource(local, tenant.id, { name: PROBE, value: { title: PROBE, entries } });
  const [key, token] = [bearer(tenant.apiKey), bearer(tenant.tokens.member)];
  const ask = (face: FaceName, path: string, json?: unknown): Promise<Reply> =>
    on.send(face, { path: `/api/v1${path}`, headers: face === 'files' ? key : token, json });

  async function waitForDelivery(face: FaceName, task: string, times = 1): Promise<End> {
    const last = await until(async () => {
      const { body } = await ask(face, `/tasks/${task}/deliveries`);
      return (body.deliveries as Delivery[])[0]?.attempts[times - 1];
    });
    return endOf(last.status === 200);
  }

  async function redelivered(face: FaceName, task: string): Promise<End> {
    const { body } = await ask(face, `/tasks/${task}/deliveries`);
    const [{ deliveryId, delivery_id = deliveryId } = {} as Delivery] = body.deliveries as Delivery[];
    await ask(face, `/tasks/${task}/deliveries/${delivery_id}/redeliver`, {});
    return waitForDelivery(face, task, 2);
  }

  const tried = (face: FaceName, field: string): Way['go'] => {
    return async (address) => {
      const { status, body } = await ask(face, '/webhooks/test', { [field]: address });
      return endOf(status === 200 && body.status === 200);
    };
  };

  async function ended(json: object): Promise<string | undefined> {
    const { status, body } = await ask('agents', '/tasks', json);
    if (status !== 202) return undefined;
    const path = `/tasks/${body.task_id}`;
    await until(async () => /completed|failed/.test(String((await ask('agents', path)).body.status)));
    return path;
  }

  let last = '';
  return [
    {
      name: 'a file from an address',
      follows: true,
      go: async (url) => endOf((await ask('files', '/files', { url })).status === 201),
    },
    {
      name: 'a webhook tried out (files and tasks)',
      follows: false,
      takesLoopback: true,
      go: tried('files', 'endpoint'),
    },
    { name: 'a webhook tried out (agents)', follows: false, takesLoopback: true, go: tried('agents', 'webhook_url') },
    {
      name: 'the webhook of a task (files and tasks)',
      follows: false,
      takesLoopback: true,
      async go(endpoint) {
        const json = { namespace: 'n', delivery: { type: 'webhook', config: { endpoint } }, input: INPUT };
        const { status, body } = await ask('files', '/tasks', json);
        last = String(body.taskId);
        return status === 201 ? waitForDelivery('files', last) : 'refused';
      },
      again: () => redelivered('files', last),
    },
    {
      name: 'the webhook of a task (agents)',
      follows: false,
      takesLoopback: true,
      async go(address) {
        const json = { task_type: 'research_agent', input: { query: 'Port fees' }, webhook_url: address };
        const { status, body } = await ask('agents', '/tasks', json);
        last = String(body.task_id);
        return status === 202 ? waitForDelivery('agents', last) : 'refused';
      },
      again: () => redelivered('agents', last),
    },
    {
      name: 'a document of a task',
      follows: true,
      async go(url) {
        const path = await ended({ task_type: 'processing_agent', input: { documents: [{ url }] } });
        if (!path) return 'refused';
        const { results } = (await ask('agents', `${path}/results`)).body as {
          results: { documents: { status: string }[] };
        };
        return endOf(results.documents[0]?.status === 'processed');
      },
    },
    {
      name: 'a source of research',
      follows: true,
      async go(address) {
        const connector = { kind: 'page', address, limits: { pauseMs: 100 } };
        const given = { title: PROBE, connectors: [connector] };
        const put = await putSource(local, tenant.id, { name: PROBE, value: given }).catch(() => undefined);
        if (!put) return 'refused';
        const path = await ended({ task_type: 'research_agent', input: { query: 'Port fees', sources: [PROBE] } });
        return endOf(JSON.stringify((await ask('agents', `${path}/results`)).body).includes('6 per cent'));
      },
    },
  ];
}
