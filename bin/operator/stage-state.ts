/** A deployed stage, as an operator works on it with the AWS credentials of the shell. */
import { blobsFrom, everythingFrom, secretsFrom, socketsFrom, stackClientFrom, tableFrom } from '../../aws/context.ts';
import { stageEnvironment } from '../../aws/stage.ts';
import { systemClock } from '../../shared/core/clock.ts';
import { modelsConfig } from '../../shared/core/config.ts';
import { environment } from '../../shared/core/environment.ts';
import { ids } from '../../shared/core/ids.ts';
import { vault } from '../../shared/core/vault.ts';
import { systemUser } from './system-user.ts';
import type { State } from './verb.ts';

export async function stageState(stage: string): Promise<State> {
  const env = await stageEnvironment(stackClientFrom(), stage);
  const table = tableFrom(env);
  const secrets = secretsFrom(env);
  return {
    table,
    clock: systemClock,
    ids: ids(systemClock),
    vault: vault(secrets),
    blobs: blobsFrom(env),
    everything: everythingFrom(env),
    sockets: socketsFrom(env),
    ...modelsConfig(env),
    by: `operator:${systemUser()}`,
    async inspect() {
      const [current] = await secrets.master();
      await table.listed('ORGANIZATIONS', { limit: 1 });
      return { stage, table: env[environment.table], masterSecret: current.version, node: process.version };
    },
    close: () => undefined,
  };
}
