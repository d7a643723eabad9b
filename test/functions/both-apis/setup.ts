/** Both APIs in this process over one state, with recorded calls to the table and the blobs. */
import { join } from 'node:path';
import { signedAddresses } from '../../../adapters/local/blob-server.ts';
import { folderBlobs } from '../../../adapters/local/file-blobs.ts';
import { fileSecrets } from '../../../adapters/local/secrets.ts';
import { knownRates } from '../../../bin/operator/org.ts';
import { agents } from '../../../functions/agents/api.ts';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import type { HttpResponse } from '../../../functions/http/route.ts';
import type { Blobs } from '../../../shared/ports.ts';
import { around } from '../../shared/tasks/around.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openApi } from '../agents/setup.ts';

export const FACES = { 'files-and-tasks': filesAndTasks, agents } as const;
export type FaceName = keyof typeof FACES;
export type Apis = Awaited<ReturnType<typeof openApis>>;

type Asked = { face: FaceName; organization: string; method: string; path: string; body?: Uint8Array };

const CREDENTIAL = { role: 'admin', by: 'user:one' };
const PLENTY = { minute: 1_000_000, hour: 1_000_000 };

export async function openApis() {
  /** The keys of every call to the table or the blobs. */
  const asked: string[] = [];
  const api = openApi({
    around: (table) =>
      around(table, ({ args }, go) => {
        asked.push(JSON.stringify(args));
        return go();
      }),
  });
  const folder = temporaryFolder();
  const secrets = fileSecrets({ file: join(folder.path, 'master.json') });
  const addresses = signedAddresses({ baseUrl: () => 'http://127.0.0.1:1', secrets, clock: api.clock });
  const blobs = written(folderBlobs({ folder: join(folder.path, 'blobs'), addresses }), asked);
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

  function ask({ face, organization, method, path, body = new Uint8Array() }: Asked): Promise<HttpResponse> {
    const token = Buffer.from(JSON.stringify({ ...CREDENTIAL, organization })).toString('base64url');
    const [pathname = '', query = ''] = path.split('?');
    return dispatch[face]({
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
    asked,
    ask,
    found: () => api.found(limits),
    close() {
      api.close();
      folder.remove();
    },
  };
}

/** Records the keys of blobs. */
const written = (blobs: Blobs, asked: string[]): Blobs =>
  Object.fromEntries(
    Object.entries(blobs).map(([name, call]) => [
      name,
      (...args: unknown[]) => {
        asked.push(args.filter((arg) => typeof arg === 'string').join(' '));
        return (call as (...given: unknown[]) => unknown)(...args);
      },
    ]),
  ) as Blobs;
