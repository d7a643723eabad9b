/** Runs one function as Lambda's runtime does, in a process with only the function's files and environment. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { INTERNET } from '../internet/places.ts';
import { reachInternet } from '../internet/reach.ts';

export type Asked = { event: unknown; requestId: string; deadlineAt: number };
export type Outcome = { result: unknown } | { error: string };
/** CPU time of the whole process during the event, and its output to the log. */
export type Spent = { cpuMs: number; logBytes: number; logLines: number };
export type Answered = { outcome: Outcome; spent: Spent };

type Handler = (event: unknown, context: object) => Promise<unknown>;

const { LAMBDA_TASK_ROOT = '', _HANDLER = '', AWS_LAMBDA_FUNCTION_NAME: functionName } = process.env;
const logged = countLog();
const port = Number(process.env[INTERNET] ?? 0);
delete process.env[INTERNET];
if (port > 0) reachInternet(port);
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
  const [cpu, before] = [process.cpuUsage(), { ...logged }];
  const outcome = await callHandler(loaded[name], event, context);
  const { user, system } = process.cpuUsage(cpu);
  const cpuMs = (user + system) / 1_000;
  reply({ outcome, spent: { cpuMs, logBytes: logged.bytes - before.bytes, logLines: logged.lines - before.lines } });
});
process.on('disconnect', () => process.exit());

async function callHandler(handler: Handler | undefined, event: unknown, context: object): Promise<Outcome> {
  try {
    if (!handler) return { error: `There is no handler ${_HANDLER}.` };
    return { result: await handler(event, context) };
  } catch (error) {
    return { error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

function countLog(): { bytes: number; lines: number } {
  const count = { bytes: 0, lines: 0 };
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: string | Uint8Array, ...rest: unknown[]) => boolean;
    stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      count.bytes += Buffer.byteLength(chunk);
      count.lines += String(chunk).split('\n').length - 1;
      return write(chunk, ...rest);
    }) as typeof stream.write;
  }
  return count;
}

function reply(answered: Answered): void {
  process.send?.(answered);
}
