/** One instance of a function: a process that handles one event at a time and is killed and restarted at its timeout. */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Answered, Outcome, Spent } from './runtime.ts';

export type Instance = {
  invoke(event: unknown): Promise<Outcome>;
  stop(): Promise<void>;
};

export type InstancePlan = {
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMegabytes: number;
  /** File descriptor of an open log file. */
  log: number;
  /** Called before `invoke` resolves. */
  spent?: (spent: Spent) => void;
};

const RUNTIME = fileURLToPath(new URL('./runtime.ts', import.meta.url));

export function instance({ environment, timeoutSeconds, memoryMegabytes, log, spent }: InstancePlan): Instance {
  let child: ChildProcess | undefined;

  function start(): ChildProcess {
    const starting = fork(RUNTIME, {
      env: environment,
      execArgv: [`--max-old-space-size=${memoryMegabytes}`],
      stdio: ['ignore', log, log, 'ipc'],
    });
    starting.once('exit', () => {
      if (child === starting) child = undefined;
    });
    return starting;
  }

  async function end(): Promise<void> {
    const ending = child;
    child = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  }

  return {
    async invoke(event) {
      child ??= start();
      const deadlineAt = Date.now() + timeoutSeconds * 1_000;
      const outcome = answerOf(child, deadlineAt);
      child.send({ event, requestId: randomUUID(), deadlineAt });
      const answer = await outcome;
      if (answer === 'late') {
        await end();
        return { error: `Task timed out after ${timeoutSeconds.toFixed(2)} seconds` };
      }
      if ('error' in answer) return answer;
      spent?.(answer.spent);
      return answer.outcome;
    },
    stop: end,
  };
}

function answerOf(child: ChildProcess, deadlineAt: number): Promise<Answered | { error: string } | 'late'> {
  const settled = new AbortController();
  const { signal } = settled;
  const answer = once(child, 'message', { signal }).then(([answered]) => answered as Answered);
  const exit = once(child, 'exit', { signal }).then(([code, by]) => ({ error: `Runtime exited: ${code ?? by}` }));
  const late = new Promise<'late'>((resolve) => {
    const timer = setTimeout(() => resolve('late'), deadlineAt - Date.now());
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
  exit.catch(() => {});
  answer.catch(() => {});
  return Promise.race([answer, exit, late]).finally(() => settled.abort());
}
