/** Builds the local product's places from the environment, once. */

import {
  documentCpuConfig,
  localConfig,
  localSenderConfig,
  modelConfig,
  modelKeyConfig,
  seeingConfig,
} from '../shared/core/config.ts';
import { vault } from '../shared/core/crypto.ts';
import type { Environment } from '../shared/core/environment.ts';
import { ids as makeIds } from '../shared/core/ids.ts';
import { systemClock } from '../shared/core/time.ts';
import type { Clock } from '../shared/ports.ts';
import { folderBlobs } from './blobs.ts';
import { folderMailer } from './mailer.ts';
import { localQueues } from './queues.ts';
import { localScheduler } from './scheduler.ts';
import { fileSecrets } from './secrets.ts';
import { signedAddresses } from './signed-addresses.ts';
import { stateFolder } from './state-folder.ts';
import { sqliteTable } from './table.ts';

export type LocalContext = ReturnType<typeof openLocal>;

const SECRET_LOOK_MS = 250;

/** `publicAddress` tells where the signed addresses are served: a port is known only when it is open. */
type Given = { clock?: Clock; publicAddress?: () => string };

export function openLocal(env: Environment, { clock = systemClock, publicAddress = () => '' }: Given = {}) {
  const config = localConfig(env);
  const folder = stateFolder(config.stateFolder);
  const ids = makeIds(clock);
  const table = sqliteTable({ file: folder.table, clock, ids });
  const secrets = fileSecrets({ file: folder.master, clock, lookEveryMs: SECRET_LOOK_MS });
  const addresses = signedAddresses({ baseUrl: publicAddress, secrets, clock });
  const blobs = folderBlobs({ folder: folder.blobs, addresses });
  const models = { ...modelConfig(env), ...modelKeyConfig(env), ...seeingConfig(env) };
  const documentLimits = documentCpuConfig(env);
  const queues = localQueues({ clock, ids });
  const { sender } = localSenderConfig(env);
  const mail = { sender, mailer: folderMailer({ folder: folder.mail, sender, clock, ids }) };
  const scheduler = localScheduler({ table, clock, lanes: queues.lanes });
  const close = () => table.close();
  const kept = { table, secrets, vault: vault(secrets), addresses, blobs, queues, scheduler, mail };
  return { config, folder, clock, ids, ...kept, models, documentLimits, close };
}
