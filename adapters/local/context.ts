/** Builds the local adapters from the environment, and the store that an operator erases organizations from. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bedrockConfig, modelTableConfig, searchConfig, seeingConfig } from '../../shared/accounts/model-settings.ts';
import { documentCpuConfig, localConfig } from '../../shared/core/config.ts';
import type { Environment } from '../../shared/core/environment.ts';
import { ids as makeIds } from '../../shared/core/ids.ts';
import { systemClock } from '../../shared/core/time.ts';
import { vault } from '../../shared/core/vault.ts';
import { localSenderConfig } from '../../shared/mail/mail-settings.ts';
import type { Clock, Everything, Key, RawRow } from '../../shared/ports.ts';
import { folderBlobs, type LocalBlobs } from './file-blobs.ts';
import { localQueues } from './local-queues.ts';
import { folderMailer } from './mailer.ts';
import { localScheduler } from './scheduler.ts';
import { fileSecrets } from './secrets.ts';
import { signedAddresses } from './signed-addresses.ts';
import { type LocalTable, sqliteTable } from './sqlite-table.ts';
import { durableFiles, stateFolder } from './state-folder.ts';

export type LocalContext = ReturnType<typeof openLocal>;

const SECRET_LOOK_MS = 250;

/** `publicAddress` returns the base URL of signed URLs; it is a function because the port is known only once it is open. */
type LocalOptions = { clock?: Clock; publicAddress?: () => string };

export function openLocal(env: Environment, { clock = systemClock, publicAddress = () => '' }: LocalOptions = {}) {
  const config = localConfig(env);
  const folder = stateFolder(config.stateFolder);
  const ids = makeIds(clock);
  const table = sqliteTable({ file: folder.table, clock, ids });
  const secrets = fileSecrets({ file: folder.master, clock, lookEveryMs: SECRET_LOOK_MS });
  const addresses = signedAddresses({ baseUrl: publicAddress, secrets, clock });
  const blobs = folderBlobs({ folder: folder.blobs, addresses });
  const models = { ...bedrockConfig(env), ...seeingConfig(env), ...modelTableConfig(env) };
  const documentLimits = documentCpuConfig(env);
  const queues = localQueues({ clock, ids });
  const { sender } = localSenderConfig(env);
  const mail = { sender, mailer: folderMailer({ folder: folder.mail, sender, clock, ids }) };
  const scheduler = localScheduler({ table, clock, lanes: queues.lanes });
  const close = () => table.close();
  const stores = { table, secrets, vault: vault(secrets), addresses, blobs, queues, scheduler, mail };
  return { config, folder, clock, ids, ...stores, models, ...searchConfig(env), documentLimits, close };
}

/** A page is held in memory; a row has up to 400 KB. */
const ROWS_IN_A_PAGE = 200;

/** The stores of this machine, from which an operator erases an organization. */
type LocalStores = { table: LocalTable; blobs: LocalBlobs; mails: string };

/** Except for uploads, blobs are stored under hashes of their keys, so a blob can be found only by its key. */
export const sqliteAdminStore = ({ table, blobs, mails }: LocalStores): Everything => ({
  async *rowsAbout(text): AsyncIterable<RawRow> {
    let after: Key | undefined = { pk: '', sk: '' };
    while (after !== undefined) {
      const page: RawRow[] = table.rowsContaining(text, { after, limit: ROWS_IN_A_PAGE });
      yield* page;
      after = page.at(-1);
    }
  },
  removeRows: (keys) => table.erase(keys),
  async blobsIn(_folders, keys) {
    const sizes = await Promise.all(keys.map((key) => blobs.size(key)));
    return keys.filter((_, at) => sizes[at] !== undefined);
  },
  uploadsOf: (organization) => blobs.uploadsOf(organization),
  async removeMails(ids) {
    const mailIds = new Set(ids);
    for (const name of await readdir(mails).catch(durableFiles.absentAs([]))) {
      if (mailIds.has(idIn(name) ?? '')) await rm(join(mails, name), { force: true });
    }
  },
  forget: async () => table.forget(),
});

/** The mailer names files by the time and the message id. */
const idIn = (name: string): string | undefined => /(.{36})\.eml$/.exec(name)?.[1];
