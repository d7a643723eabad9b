/** Builds the local adapters from the environment, and the store that an operator erases organizations from. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import {
  bedrockConfig,
  documentCpuConfig,
  localConfig,
  localSenderConfig,
  modelConfig,
  modelKeyConfig,
  modelTableConfig,
  searchConfig,
  seeingConfig,
} from '../../shared/core/config.ts';
import { vault } from '../../shared/core/crypto.ts';
import { type Environment, environment } from '../../shared/core/environment.ts';
import { ids as makeIds } from '../../shared/core/ids.ts';
import { systemClock } from '../../shared/core/time.ts';
import type { Clock, Everything, Stored, Table } from '../../shared/ports.ts';
import { signedAddresses } from './blob-server.ts';
import { folderBlobs, type LocalBlobs } from './file-blobs.ts';
import { folderMailer } from './mails.ts';
import { localQueues } from './memory-queue.ts';
import { localScheduler } from './scheduler.ts';
import { fileSecrets } from './secrets.ts';
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
  const models = {
    ...modelConfig(env),
    ...modelKeyConfig(env),
    ...bedrockConfig(env),
    ...seeingConfig(env),
    ...modelTableConfig(env),
  };
  const documentLimits = documentCpuConfig(env);
  const queues = localQueues({ clock, ids });
  const { sender } = localSenderConfig(env);
  const mail = { sender, mailer: folderMailer({ folder: folder.mail, sender, clock, ids }) };
  const scheduler = localScheduler({ table, clock, lanes: queues.lanes });
  const close = () => table.close();
  const kept = { table, secrets, vault: vault(secrets), addresses, blobs, queues, scheduler, mail };
  return { config, folder, clock, ids, ...kept, models, ...searchConfig(env), documentLimits, close };
}

/** The settings that decide whether a model can be reached from this machine. */
type Settings = { address: string | undefined; awsRegion: string | undefined };

/** A clause that says what the model would need; `undefined`: the model is configured. */
function whyUnreached(model: string, { address, awsRegion }: Settings): string | undefined {
  const missing =
    (model.startsWith('bedrock/') && awsRegion === undefined && environment.awsRegion) ||
    (model.startsWith('openai/') && address === undefined && environment.modelAddress);
  return missing ? `${model} answers only while the product runs with ${missing}` : undefined;
}

export type Unreached = { name: string; why: string; isDefault: boolean };

/** A note with a line for each model that is not configured. */
export function noteOnModels(models: readonly string[], settings: Settings): string | undefined {
  const notes = models.flatMap((model) => whyUnreached(model, settings) ?? []);
  return notes.length > 0 ? notes.map((note) => `${note}.`).join('\n') : undefined;
}

/** The models of all organizations that are not configured here; each organization's default comes first. */
export async function unreachedModels(o: { table: Table; models: Settings }): Promise<Unreached[]> {
  const organizations = await listOrganizations(o.table);
  return organizations.flatMap(({ name, models }) =>
    models.flatMap((model, at) => {
      const why = whyUnreached(model, o.models);
      return why === undefined ? [] : [{ name, why, isDefault: at === 0 }];
    }),
  );
}

/** The stores of this machine, from which an operator erases an organization. */
type Places = { table: LocalTable; blobs: LocalBlobs; mails: string };

/** Except for uploads, blobs are stored under hashes of their keys, so a blob can be found only by its key. */
export const sqliteAdminStore = ({ table, blobs, mails }: Places): Everything => ({
  async *rowsAbout(text): AsyncIterable<Stored> {
    yield* table.rowsHolding(text);
  },
  removeRows: (keys) => table.erase(keys),
  async blobsIn(_folders, named) {
    const sizes = await Promise.all(named.map((key) => blobs.size(key)));
    return named.filter((_, at) => sizes[at] !== undefined);
  },
  uploadsOf: (organization) => blobs.uploadsOf(organization),
  async removeMails(ids) {
    const known = new Set(ids);
    for (const name of await readdir(mails).catch(durableFiles.absentAs([]))) {
      if (known.has(idIn(name) ?? '')) await rm(join(mails, name), { force: true });
    }
  },
  forget: async () => table.forget(),
});

/** The mailer names files by the time and the message id. */
const idIn = (name: string): string | undefined => /(.{36})\.eml$/.exec(name)?.[1];
