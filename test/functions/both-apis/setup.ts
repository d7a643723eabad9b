/** Both APIs in this process over one state, with recorded calls to the table and the blobs. */
import { join } from 'node:path';
import { folderBlobs } from '../../../adapters/local/file-blobs.ts';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { signedAddresses } from '../../../adapters/local/signed-addresses.ts';
import { knownRates } from '../../../bin/operator/org.ts';
import { agents } from '../../../functions/agents/api.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import type { HttpResponse } from '../../../functions/http/route.ts';
import type { Blobs } from '../../../shared/ports.ts';
import { interceptedTable } from '../../shared/tasks/intercepted-table.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openApi } from '../agents/setup.ts';

export const FACES = { 'files-and-tasks': filesAndTasks, agents } as const;
export type ApiName = keyof typeof FACES;
export type Apis = Awaited<ReturnType<typeof openApis>>;

type ApiCall = { apiName: ApiName; organization: string; method: string; path: string; body?: Uint8Array };

const CREDENTIAL = { role: 'admin', by: 'user:one' };
const PLENTY = { minute: 1_000_000, hour: 1_000_000 };

export async function openApis() {
  /** The keys of every call to the table or the blobs. */
  const touchedKeys: string[] = [];
  const api = openApi({
    around: (table) =>
      interceptedTable(table, ({ args }, go) => {
        touchedKeys.push(JSON.stringify(args));
        return go();
      }),
  });
  const folder = temporaryFolder();
  const secrets = fileSecrets({ file: join(folder.path, 'master.json') });
  const addresses = signedAddresses({ baseUrl: () => 'http://127.0.0.1:1', secrets, clock: api.clock });
  const blobs = recordBlobKeys(folderBlobs({ folder: join(folder.path, 'blobs'), addresses }), touchedKeys);
  const context = {
    ...api.context,
    blobs,
    admit: async () => undefined,
    readSnapshot: async () => ({ problem: 'notFound' as const, message: 'No text of this source is kept.' }),
  };
  const outside = { outbound: async () => 'failed' as const, keyOwner: async () => undefined };
  const dispatch = {
    'files-and-tasks': dispatcher(filesAndTasks, { ...context, ...outside }),
    agents: dispatcher(agents, context),
  };
  const limits = Object.fromEntries(
    (await knownRates()).map(({ name, hour }) => [name, hour ? PLENTY : { minute: PLENTY.minute }]),
  );

  function ask({ apiName, organization, method, path, body = new Uint8Array() }: ApiCall): Promise<HttpResponse> {
    const token = Buffer.from(JSON.stringify({ ...CREDENTIAL, organization })).toString('base64url');
    const [pathname = '', query = ''] = path.split('?');
    return dispatch[apiName]({
      method,
      path: pathname,
      query: new URLSearchParams(query),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', 'x-request-id': 'same' },
      body,
      sourceAddress: '192.0.2.1',
      hosts: [],
    });
  }

  return {
    ...api,
    blobs,
    asked: touchedKeys,
    ask,
    found: () => api.found(limits),
    close() {
      api.close();
      folder.remove();
    },
  };
}

/** Records the keys of blobs. */
const recordBlobKeys = (blobs: Blobs, touchedKeys: string[]): Blobs =>
  Object.fromEntries(
    Object.entries(blobs).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        touchedKeys.push(args.filter((arg) => typeof arg === 'string').join(' '));
        return (call as (...callArgs: unknown[]) => unknown)(...args);
      },
    ]),
  ) as Blobs;
