/**
 * A stage for one acceptance: deployed, asked over both APIs, its webhook, mail and alarm tried, and deleted. AWS alone can run this.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CloudFormationClient, DescribeStacksCommand, ListStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  DescribeAlarmHistoryCommand,
  DescribeAlarmsCommand,
  SetAlarmStateCommand,
} from '@aws-sdk/client-cloudwatch';
import { stackOf } from '../../../adapters/aws/deployed-stage.ts';
import { type Agents, agents, type FilesAndTasks, filesAndTasks } from '../../../client/src/index.ts';
import type { Acceptance } from './page.ts';
import type { Target } from './run.ts';

/** A refusal by the command line, in its own words. */
export function operatorCommand(words: readonly string[], o: { env?: NodeJS.ProcessEnv; input?: string } = {}): string {
  try {
    const { env = process.env, input } = o;
    return execFileSync(process.execPath, ['bin/errand.ts', ...words], {
      env,
      encoding: 'utf8',
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${stdout}${stderr}`.trim() || String(error));
  }
}

async function cdk(...words: string[]): Promise<void> {
  const child = spawn('npx', ['cdk', ...words], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`cdk ${words[0]} ended with ${code}; its output says why.`);
}

type Outcome = NonNullable<Acceptance['stage']>[number];
export type StageOptions = {
  stage: string;
  /** The id of the stage's default model. */
  model: string;
  /** A model that is added by name needs its provider and key; those of Bedrock need neither. */
  named?: { name: string; provider: string; model: string; key: string };
  /** A public HTTPS URL that answers webhooks with 2xx. */
  receiver?: string;
  /** The sender of mails, which is also their recipient and gets the alarm. */
  mail?: string;
  tell(line: string): void;
};

/** `stackId` is CloudFormation's, by which a deleted stack can still be read. */
export type DeployedStage = { outputs: Record<string, string>; stackId: string };

/** The stage is deleted at the end, and one that somebody uses must not be. */
async function demandNew(stage: string): Promise<void> {
  const exists = await new CloudFormationClient({}).send(new DescribeStacksCommand({ StackName: stackOf(stage) })).then(
    () => true,
    (error: Error) => {
      if (error.name === 'ValidationError' && error.message.includes('does not exist')) return false;
      throw error;
    },
  );
  if (exists) throw new Error(`The stage ${stage} exists already: give a new name, as it is deleted at the end.`);
}

export async function deployStage(o: StageOptions, folder: string): Promise<DeployedStage> {
  const outputsFile = join(folder, 'outputs.json');
  const mail = o.mail ? ['-c', `sender=${o.mail}`, '-c', `alarms-email=${o.mail}`] : [];
  const models = o.named ? 'offline/extractive' : o.model;
  const context = ['-c', `stage=${o.stage}`, '-c', `models=${models}`, ...mail];
  await demandNew(o.stage);
  o.tell(`deploying the stage ${o.stage}, which takes about ten minutes`);
  await cdk('deploy', ...context, '--require-approval', 'never', '--outputs-file', outputsFile);
  const outputs = JSON.parse(readFileSync(outputsFile, 'utf8'))[stackOf(o.stage)] as Record<string, string>;
  const { Stacks = [] } = await new CloudFormationClient({}).send(
    new DescribeStacksCommand({ StackName: stackOf(o.stage) }),
  );
  return { outputs, stackId: Stacks[0]?.StackId ?? stackOf(o.stage) };
}

/** An organization on the stage, with the model that is asked. */
export function organizationOn({ outputs }: DeployedStage, o: StageOptions): Target {
  const founded = JSON.parse(operatorCommand(['org', 'create', 'Acceptance', '--stage', o.stage, '--json']));
  const { id, apiKey, username, password } = founded;
  if (o.named) {
    const { name, provider, model, key } = o.named;
    const words = ['model', 'add', name, '--provider', provider, '--strong', model, '--org', id, '--key-stdin'];
    operatorCommand([...words, '--stage', o.stage], { input: key });
  }
  const { FilesAndTasksBaseUrl = '', AgentsRootUrl = '', AgentsWsUrl = '' } = outputs;
  return {
    developer: filesAndTasks({ baseUrl: FilesAndTasksBaseUrl, apiKey }),
    enterprise: agents({ rootUrl: AgentsRootUrl, wsUrl: AgentsWsUrl, login: { username, password } }),
    endpoint: o.receiver ?? `${FilesAndTasksBaseUrl}/webhooks/discard`,
  };
}

/** Tries what only a stage has; each failure is an outcome, so that the others are tried too. */
export async function tryStage(target: Target, o: StageOptions, signal: AbortSignal): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const attempt = async (what: string, run: () => Promise<string>) => {
    const outcome = await run().catch((error: Error) => `failed: ${error.message}`);
    outcomes.push({ what, outcome });
    o.tell(`${what}: ${outcome}`);
  };
  await attempt('webhook', () =>
    o.receiver ? webhookOf(target, signal) : Promise.resolve('not tried: give --receiver'),
  );
  const { mail } = o;
  await attempt('mail', () =>
    mail ? mailOf(target.enterprise, mail, signal) : Promise.resolve('not tried: give --mail'),
  );
  await attempt('alarm', () => (mail ? alarmOf(stackOf(o.stage), signal) : Promise.resolve('not tried: give --mail')));
  return outcomes;
}

const POLL_MS = 3_000;
const MOST_POLLS = 60;

async function until<T>(read: () => Promise<T | undefined>, signal: AbortSignal, what: string): Promise<T> {
  for (let polls = 0; polls < MOST_POLLS; polls++) {
    const value = await read();
    if (value !== undefined) return value;
    await sleep(POLL_MS, undefined, { signal });
  }
  throw new Error(`${what} did not come within ${(MOST_POLLS * POLL_MS) / 60_000} minutes.`);
}

async function webhookOf({ developer, endpoint }: Target, signal: AbortSignal): Promise<string> {
  const { taskId } = await developer.tasks.create({
    namespace: 'acceptance',
    delivery: { type: 'webhook', config: { endpoint } },
    input: { type: 'chat', prompt: 'Answer with the word yes.' },
  });
  await developer.tasks.wait(taskId, { signal });
  return until(() => deliveredTo(developer, taskId), signal, 'The delivery');
}

async function deliveredTo(developer: FilesAndTasks, taskId: string): Promise<string | undefined> {
  const [delivery] = await developer.tasks.deliveries(taskId);
  return delivery?.state === 'delivered' || delivery?.state === 'exhausted' ? delivery.state : undefined;
}

async function mailOf(enterprise: Agents, mail: string, signal: AbortSignal): Promise<string> {
  const { task_id: id } = await enterprise.submit({
    task_type: 'notification_agent',
    input: { content: { recipients: [mail], message: 'This mail shows that the stage sends mails.' } },
  });
  const results = await enterprise.waitForResults(id, { signal });
  if (!('recipients' in results)) throw new Error('The notification has no recipients.');
  return results.recipients.map(({ status }) => status).join(', ');
}

/** Sets the first alarm by hand, and reads whether its action, the mail to the operator, was carried out. */
async function alarmOf(stack: string, signal: AbortSignal): Promise<string> {
  const client = new CloudWatchClient({});
  const { MetricAlarms = [] } = await client.send(new DescribeAlarmsCommand({ AlarmNamePrefix: `${stack}-` }));
  const AlarmName = MetricAlarms.find(({ AlarmActions = [] }) => AlarmActions.length > 0)?.AlarmName;
  if (AlarmName === undefined) throw new Error('No alarm of the stage has an action.');
  await client.send(
    new SetAlarmStateCommand({ AlarmName, StateValue: 'ALARM', StateReason: 'Tried by an acceptance.' }),
  );
  return until(
    async () => {
      const history = new DescribeAlarmHistoryCommand({ AlarmName, HistoryItemType: 'Action', MaxRecords: 1 });
      return (await client.send(history)).AlarmHistoryItems?.[0]?.HistorySummary;
    },
    signal,
    'The action of the alarm',
  );
}

/** Deletes the stage, and returns what CloudFormation kept of it or could not delete. */
export async function deleteStage({ stackId }: DeployedStage, { stage, tell }: StageOptions): Promise<Outcome[]> {
  tell(`deleting the stage ${stage}`);
  await cdk('destroy', '-c', `stage=${stage}`, '--force');
  const client = new CloudFormationClient({});
  const left: Outcome[] = [];
  let NextToken: string | undefined;
  do {
    const page = await client.send(
      new ListStackResourcesCommand({ StackName: stackId, ...(NextToken ? { NextToken } : {}) }),
    );
    for (const { ResourceStatus, ResourceType, PhysicalResourceId } of page.StackResourceSummaries ?? [])
      if (ResourceStatus !== 'DELETE_COMPLETE')
        left.push({ what: `left: ${ResourceType} ${PhysicalResourceId}`, outcome: String(ResourceStatus) });
    NextToken = page.NextToken;
  } while (NextToken);
  return left.length > 0 ? left : [{ what: 'left after its deletion', outcome: 'nothing' }];
}
