/** The instances of one function. Events wait for a free instance. The recorder tells instances apart by their credentials. */
import { openSync } from 'node:fs';
import { join } from 'node:path';
import type { Internet } from '../internet/internet.ts';
import type { Recorder } from '../recorder/recorder.ts';
import { BETWEEN_EVENTS, type Invocation } from '../recorder/recording.ts';
import type { FunctionPlan } from '../stack/functions.ts';
import { environmentOf } from './environment.ts';
import { instance } from './instance.ts';
import type { Outcome } from './runtime.ts';

/** The route and request of an event, for the recording. */
export type Work = { route: string; request?: string };

export type Fleet = {
  name: string;
  invoke(event: unknown, work: Work): Promise<Outcome>;
  stop(): Promise<void>;
};

/** More than one, so that a test fails when state is kept in memory instead of being stored. */
const INSTANCES = 2;

type Around = { recorder: Recorder; logs: string; internet: Internet; invocations: Invocation[] };

export function fleet(plan: FunctionPlan, around: Around): Fleet {
  const { logs } = around;
  const log = openSync(join(logs, `${plan.name}.log`), 'w');
  const members = Array.from({ length: INSTANCES }, (_, at) =>
    member(plan, { ...around, token: `rehearsal.${plan.name}.${at}`, log }),
  );
  const idle = [...members];
  const waiting: ((free: Member) => void)[] = [];

  return {
    name: plan.name,
    async invoke(event, work) {
      const free = idle.shift() ?? (await new Promise<Member>((resolve) => waiting.push(resolve)));
      try {
        return await free.invoke(event, work);
      } finally {
        const next = waiting.shift();
        if (next) next(free);
        else idle.push(free);
      }
    },
    async stop() {
      await Promise.all(members.map(({ stop }) => stop()));
    },
  };
}

type Member = Omit<Fleet, 'name'>;

function member(plan: FunctionPlan, o: Around & { token: string; log: number }): Member {
  const { recorder, internet, invocations, token, log } = o;
  const environment = { ...environmentOf(plan, { token, awsUrl: recorder.url }), ...internet.environment };
  let at: Work = { route: BETWEEN_EVENTS };
  const { invoke, stop } = instance({
    ...plan,
    environment,
    log,
    spent: (spent) => invocations.push({ function: plan.name, request: at.request, ...spent }),
  });
  recorder.callers.set(token, { function: plan.name, statements: plan.statements, now: () => at });
  return {
    async invoke(event, work) {
      at = work;
      try {
        return await invoke(event);
      } finally {
        at = { route: BETWEEN_EVENTS };
      }
    },
    stop,
  };
}
