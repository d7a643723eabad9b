/** Builds the local adapters from the environment, and the store that an operator erases organizations from. */

import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listOrganizations } from '../../shared/accounts/organizations.ts';
import {
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
import { Problem } from '../../shared/core/problem.ts';
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

/** Builds the local product's places from the environment, once. */
export type LocalContext = ReturnType<typeof openLocal>;

const SECRET_LOOK_MS = 250;

/** `publicAddress` tells where the signed addresses are served: a port is known only when it is open. */
type LocalOptions = { clock?: Clock; publicAddress?: () => string };

export function openLocal(env: Environment, { clock = systemClock, publicAddress = () => '' }: LocalOptions = {}) {
  const config = localConfig(env);
  const folder = stateFolder(config.stateFolder);
  const ids = makeIds(clock);
  const table = sqliteTable({ file: folder.table, clock, ids });
  const secrets = fileSecrets({ file: folder.master, clock, lookEveryMs: SECRET_LOOK_MS });
  const addresses = signedAddresses({ baseUrl: publicAddress, secrets, clock });
  const blobs = folderBlobs({ folder: folder.blobs, addresses });
  const models = { ...modelConfig(env), ...modelKeyConfig(env), ...seeingConfig(env), ...modelTableConfig(env) };
  const documentLimits = documentCpuConfig(env);
  const queues = localQueues({ clock, ids });
  const { sender } = localSenderConfig(env);
  const mail = { sender, mailer: folderMailer({ folder: folder.mail, sender, clock, ids }) };
  const scheduler = localScheduler({ table, clock, lanes: queues.lanes });
  const close = () => table.close();
  const kept = { table, secrets, vault: vault(secrets), addresses, blobs, queues, scheduler, mail };
  return { config, folder, clock, ids, ...kept, models, ...searchConfig(env), documentLimits, close };
}

/** Models that an organization may name though nothing on this machine answers for them. */
type Settings = { address: string | undefined };

const needsStage = (model: string): boolean => model.startsWith('bedrock/');

/** In one clause, what it would need; undefined = it is set up. */
function whyUnreached(model: string, { address }: Settings): string | undefined {
  if (needsStage(model)) return `${model} answers on a deployed stage only`;
  if (!model.startsWith('openai/') || address !== undefined) return undefined;
  return `${model} answers only while the product runs with ${environment.modelAddress}`;
}

export type Unreached = { name: string; why: string; isDefault: boolean };

/** A line for each; what can never answer here is refused. */
export function noteOnModels(models: readonly string[], settings: Settings): string | undefined {
  const never = models.find(needsStage);
  if (never !== undefined) {
    throw new Problem('invalid', `${whyUnreached(never, settings)}: give --stage NAME, or another model.`);
  }
  const notes = models.flatMap((model) => whyUnreached(model, settings) ?? []);
  return notes.length > 0 ? notes.map((note) => `${note}.`).join('\n') : undefined;
}

/** Of every organization, its default first. */
export async function unreachedModels(o: { table: Table; models: Settings }): Promise<Unreached[]> {
  const organizations = await listOrganizations(o.table);
  return organizations.flatMap(({ name, models }) =>
    models.flatMap((model, at) => {
      const why = whyUnreached(model, o.models);
      return why === undefined ? [] : [{ name, why, isDefault: at === 0 }];
    }),
  );
}

/** Everything that is stored on this machine, for the operator who erases an organization. */
type Places = { table: LocalTable; blobs: LocalBlobs; mails: string };

/** All blobs but uploads lie under hashes of their names: only one whose name is known can be looked for. */
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

/** As the mailer names them: the time, and the id it answered. */
const idIn = (name: string): string | undefined => /(.{36})\.eml$/.exec(name)?.[1];
