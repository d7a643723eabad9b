/** The product on this machine, for operator commands, whether it is running or not. */

import { existsSync, statSync } from 'node:fs';
import { openLocal, sqliteAdminStore } from '../../adapters/local/context.ts';
import { localModelConnections } from '../../adapters/local/model-connections.ts';
import { orderedSockets } from '../../adapters/local/socket-orders.ts';
import { requireState } from '../../adapters/local/state-folder.ts';
import { listUnconnectedModels, unconnectedModelsNote } from '../../adapters/local/unconnected-models.ts';
import { modelsConfig } from '../../shared/accounts/model-settings.ts';
import { localConfig } from '../../shared/core/config.ts';
import type { Environment } from '../../shared/core/environment.ts';
import { Problem } from '../../shared/core/problem.ts';
import { runningConnections } from '../local/local-file.ts';
import { type ShownValue, type State, systemUser } from './command.ts';
import { checks } from './doctor-checks.ts';

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** With `founds`, a missing state is created. */
export function localState(env: Environment, { founds = false }: { founds?: boolean } = {}): State {
  if (!founds) requireState(localConfig(env).stateFolder);
  const { table, clock, ids, vault, secrets, blobs, folder, models, searchUrl, close } = openLocal(env);
  const everything = sqliteAdminStore({ table, blobs, mails: folder.mail });

  async function inspect(): Promise<ShownValue> {
    const { rows, faults } = table.check();
    if (faults.length > 0) {
      throw new Problem('badSetting', `${folder.table} is damaged (${faults[0]}): restore it from a backup.`);
    }
    // Reading the master secret would create a missing one and hide the fault.
    if (!existsSync(folder.master)) {
      throw new Problem(
        'badSetting',
        `${folder.master} does not exist: restore it, encrypted values cannot be read without it.`,
      );
    }
    const [current] = await secrets.master();
    const lost = await checks.lostSecrets({ table, clock, vault });
    if (lost !== undefined) throw new Problem('badSetting', lost);
    const unreached = await listUnconnectedModels({ table, running: runningConnections(folder.path) });
    const report = {
      state: folder.path,
      bytes: sizeOf(folder.table) + sizeOf(`${folder.table}-wal`),
      rows,
      masterSecret: current.version,
      node: process.version,
      searchWarnings: await checks.searchWarnings({ table, clock, vault }, searchUrl),
      ssoWarnings: await checks.privateIssuers(table),
      modelsNotSetUp: unreached.map(({ name, why }) => `${name}: ${why}`),
    };
    return { report };
  }

  return {
    table,
    clock,
    ids,
    vault,
    blobs,
    everything,
    sockets: orderedSockets({ table, clock, ids }),
    ...modelsConfig(env),
    environmentConnections: localModelConnections(env, { isExplicit: false }),
    runningConnections: () => runningConnections(folder.path),
    ownProfiles: models.table,
    noteOnModels: (modelNames, organization) =>
      unconnectedModelsNote({ table, running: runningConnections(folder.path) }, modelNames, organization),
    by: `operator:${systemUser()}`,
    inspect,
    close,
  };
}
