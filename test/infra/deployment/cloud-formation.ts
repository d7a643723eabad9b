/** What CloudFormation does for a custom resource: it sends an event to the function and waits for the answer by HTTP. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { listen } from '../../evidence/rehearsal/listen.ts';
import { REGION } from '../../evidence/rehearsal/stack/template.ts';
import type { Session } from './account.ts';

const execute = promisify(execFile);

/** `command` runs the function's handler on the event of standard input. */
export type Invocation = { command: string[]; session: Session; endpoint: string };

type Event = {
  RequestType: 'Create' | 'Update' | 'Delete';
  ResourceProperties: object;
  OldResourceProperties?: object;
  PhysicalResourceId?: string;
};
type Answer = { Status: 'SUCCESS' | 'FAILED'; PhysicalResourceId: string };

export async function openCloudFormation() {
  const answers = new Map<string, Answer>();
  const server = createServer(async (request, response) => {
    answers.set(request.url ?? '', (await json(request)) as Answer);
    response.end();
  });
  const { url, stop } = await listen(server);

  async function send(event: Event, invocation: Invocation): Promise<Answer & { log: string }> {
    const path = `/${randomUUID()}`;
    const ids = { StackId: 'stack', RequestId: path, LogicalResourceId: 'resource' };
    const log = await run(invocation, withTexts({ ...event, ...ids, ResponseURL: url + path }));
    const answer = answers.get(path);
    if (!answer) throw new Error(`The function sent no answer:\n${log}`);
    return { ...answer, log };
  }

  return { send, stop };
}

/** CloudFormation sends numbers and booleans as texts. */
const withTexts = (event: object): string =>
  JSON.stringify(event, (_, value) => (typeof value === 'object' ? value : String(value)));

async function run({ command: [file = '', ...args], session, endpoint }: Invocation, event: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    ...session,
    ...{ AWS_REGION: REGION, AWS_DEFAULT_REGION: REGION, AWS_ENDPOINT_URL: endpoint },
    // The runtime of Lambda has the AWS SDK.
    NODE_PATH: join(import.meta.dirname, '../../../node_modules'),
  };
  const running = execute(file, args, { env });
  running.child.stdin?.end(event);
  const { stdout, stderr } = await running;
  return stdout + stderr;
}
