/** A deployed stage, for operator commands with the AWS credentials of the shell. */
import { blobsFrom, secretsFrom, socketsFrom, tableFrom } from '../../adapters/aws/context.ts';
import {
  doctorClients,
  environmentOf,
  everythingFrom,
  operatorAccount,
  stackClientFrom,
  stackOf,
  stageOutputs,
} from '../../adapters/aws/deployed-stage.ts';
import { type CheckResult, checkStage } from '../../adapters/aws/doctor.ts';
import { copyMissingRows } from '../../adapters/aws/table-copy.ts';
import { modelsConfig } from '../../shared/accounts/model-settings.ts';
import { tableConfig } from '../../shared/core/config.ts';
import { ids } from '../../shared/core/ids.ts';
import { systemClock } from '../../shared/core/time.ts';
import { vault } from '../../shared/core/vault.ts';
import type { Secrets } from '../../shared/ports.ts';
import { type State, systemUser } from './command.ts';
import { checks } from './doctor-checks.ts';

export async function stageState(stage: string): Promise<State> {
  const { outputs, sending } = await stageOutputs(stackClientFrom(), stage);
  const env = environmentOf(outputs);
  const account = operatorAccount(process.env);
  const table = tableFrom(env, account);
  const secrets = secretsFrom(env, account);
  const { models } = modelsConfig(env);
  const ports = { table, clock: systemClock, vault: vault(secrets) };
  return {
    ...ports,
    ids: ids(systemClock),
    blobs: blobsFrom(env, account),
    everything: everythingFrom(env, account),
    sockets: socketsFrom(env, account),
    models,
    environmentConnections: new Map([['bedrock', async () => ({ provider: 'bedrock' })]]),
    runningConnections: () => undefined,
    ownProfiles: {},
    bedrock: checks.bedrockOf,
    noteOnModels: async (modelNames) => checks.noteOnGrants(modelNames, models),
    copyMissingRows: (request) =>
      copyMissingRows({ ...request, to: tableConfig(env).tableName, now: systemClock.now() }),
    by: `operator:${systemUser()}`,
    async inspect() {
      const clients = doctorClients();
      const checked = await checkStage(clients, {
        stackName: stackOf(stage),
        outputs,
        sending,
        askModel: checks.askModel,
      });
      const secret = await secretState(secrets);
      const lost = await checks.lostSecrets(ports);
      const webhooks = { check: 'webhook secrets', state: lost === undefined ? 'ok' : 'wrong', detail: lost ?? 'open' };
      const sso = (await checks.privateIssuers(table)).map(
        (detail): CheckResult => ({ check: 'single sign-on', state: 'look', detail }),
      );
      // The operator's own SearXNG may be reachable only from inside the stage's network, so only public providers are tried.
      const searches = (await checks.searchWarnings(ports, undefined)).map(
        (detail): CheckResult => ({ check: 'search', state: 'look', detail }),
      );
      const report = [
        { check: 'node', state: 'ok', detail: process.version },
        secret,
        webhooks,
        ...sso,
        ...searches,
        ...checked,
      ];
      return { report, ...(report.some(({ state }) => state === 'wrong') ? { failed: true } : {}) };
    },
    close: () => undefined,
  };
}

async function secretState({ master }: Secrets): Promise<CheckResult> {
  const check = 'master secret';
  try {
    const [current] = await master();
    return { check, state: 'ok', detail: `version ${current.version}` };
  } catch (error) {
    return { check, state: 'wrong', detail: error instanceof Error ? error.message : 'no answer' };
  }
}
