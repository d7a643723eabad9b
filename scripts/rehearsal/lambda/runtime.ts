/** Runs one function as Lambda's own runtime does, in a process with nothing but the function's files and environment. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

export type Asked = { event: unknown; requestId: string; deadlineAt: number };
export type Told = { result: unknown } | { error: string };

type Handler = (event: unknown, context: object) => Promise<unknown>;

const { LAMBDA_TASK_ROOT = '', _HANDLER = '', AWS_LAMBDA_FUNCTION_NAME: functionName } = process.env;
const [file = '', name = ''] = _HANDLER.split('.');
const loaded = createRequire(join(LAMBDA_TASK_ROOT, file))(`./${file}.js`) as Record<string, Handler>;

process.on('message', async ({ event, requestId, deadlineAt }: Asked) => {
  const context = {
    awsRequestId: requestId,
    functionName,
    functionVersion: '$LATEST',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, deadlineAt - Date.now()),
  };
  tell(await outcome(loaded[name], event, context));
});
process.on('disconnect', () => process.exit());

async function outcome(handler: Handler | undefined, event: unknown, context: object): Promise<Told> {
  try {
    if (!handler) return { error: `There is no handler ${_HANDLER}.` };
    return { result: await handler(event, context) };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

function tell(told: Told): void {
  process.send?.(told);
}
