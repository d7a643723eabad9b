/** `errand doctor --before`: checks what a first deployment needs of the account and region, before there is a stage. */
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { ACCOUNT_NEEDS, BOOTSTRAP, type CheckedNeed, MIN_CONCURRENCY } from './account-requirements.ts';
import { requestHandler } from './deployed-stage.ts';
import { type CheckResult, type CheckVerdict, look, mailAccountState, ok, runCheck, wrong } from './doctor.ts';
import { reasonOf } from './errors.ts';

type AccountClients = { stacks: CloudFormationClient; lambda: LambdaClient; ses: SESv2Client };

export const accountClients = (): AccountClients => ({
  stacks: new CloudFormationClient({ requestHandler }),
  lambda: new LambdaClient({ requestHandler }),
  ses: new SESv2Client({ requestHandler }),
});

type Account = {
  clients: AccountClients;
  /** The model of a stage whose deployment names none. */
  model: string;
  /** Sends a minimal request to the model; rejects if the model does not answer. */
  askModel(model: string): Promise<void>;
};

export const checkAccount = (account: Account): Promise<CheckResult[]> =>
  Promise.all(
    ACCOUNT_NEEDS.map(({ name, without, remedy, isChecked }) =>
      isChecked
        ? runCheck(name, () => CHECKS[name](account, remedy))
        : { check: name, ...look(`not checked here: ${without}; ${remedy}`) },
    ),
  );

const CHECKS: Record<CheckedNeed, (account: Account, remedy: string) => Promise<CheckVerdict>> = {
  bootstrap: async ({ clients: { stacks } }, remedy) => {
    const version = await bootstrapVersion(stacks);
    if (version === undefined) return wrong(`this region has no stack ${BOOTSTRAP.stackName}: ${remedy}`);
    if (version < BOOTSTRAP.minVersion) return wrong(`version ${version} is too old: ${remedy}`);
    return ok(`version ${version}`);
  },
  concurrency: async ({ clients: { lambda } }, remedy) => {
    const { AccountLimit } = await lambda.send(new GetAccountSettingsCommand({}));
    const atOnce = AccountLimit?.ConcurrentExecutions ?? 0;
    return atOnce >= MIN_CONCURRENCY ? ok(`${atOnce} at once`) : look(`only ${atOnce} at once: ${remedy}`);
  },
  model: async ({ model, askModel }, remedy) => {
    try {
      await askModel(model);
      return ok(`${model} answers`);
    } catch (error) {
      // The stage deploys without it, and its tasks fail.
      return look(`${model} does not answer (${reasonOf(error)}): ${remedy}`);
    }
  },
  mail: ({ clients: { ses } }) => mailAccountState(ses),
};

/** `undefined` if there is no such stack. */
async function bootstrapVersion(stacks: CloudFormationClient): Promise<number | undefined> {
  const { stackName: StackName, versionOutput } = BOOTSTRAP;
  try {
    const { Stacks = [] } = await stacks.send(new DescribeStacksCommand({ StackName }));
    return Number(Stacks[0]?.Outputs?.find(({ OutputKey }) => OutputKey === versionOutput)?.OutputValue ?? 0);
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  }
}
